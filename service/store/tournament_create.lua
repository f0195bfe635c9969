-- A new tournament.
--
-- KEYS  1 the tournament (string), 2 all of its kind (sorted set), 3 those that run (set)
-- ARGV  1 its id, 2 the tournament, 3 whether it runs
if redis.call('SETNX', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if ARGV[3] == '1' then redis.call('SADD', KEYS[3], ARGV[1]) end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
