-- A new tournament, if its owner has room for it.
--
-- KEYS  1 the tournament (string), 2 all of its kind (sorted set), 3 those that run and 4 those of its owner that are not
--       over (sets)
-- ARGV  1 its id, 2 the tournament, 3 whether it runs, 4 how many an owner may have that are not over, or 0 for any number
-- Returns whether it is there.
local most = tonumber(ARGV[4])
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
if most > 0 and redis.call('SCARD', KEYS[4]) >= most then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if ARGV[3] == '1' then redis.call('SADD', KEYS[3], ARGV[1]) end
if most > 0 then redis.call('SADD', KEYS[4], ARGV[1]) end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
