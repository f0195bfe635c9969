-- Stores a new tournament if its owner has room for it.
--
-- KEYS  1 the tournament (string), 2 all of its kind (sorted set), 3 the running ones and 4 the owner's unfinished ones
--       (sets), 5 the schedule (sorted set)
-- ARGV  1 id of the tournament, 2 the document, 3 1 if it runs, 4 maximum of unfinished ones of an owner, or 0 for no
--       limit, 5 time at which something is due, or empty
-- Returns 1 if the tournament is stored, else 0.
local most = tonumber(ARGV[4])
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
if most > 0 and redis.call('SCARD', KEYS[4]) >= most then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if ARGV[3] == '1' then redis.call('SADD', KEYS[3], ARGV[1]) end
if most > 0 then redis.call('SADD', KEYS[4], ARGV[1]) end
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[5], ARGV[5], ARGV[1]) end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
