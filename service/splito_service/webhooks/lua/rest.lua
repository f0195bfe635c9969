-- Leaves a hook alone for a while, by a claim that nobody has.
--
-- KEYS  1 the claim (hash), 2 what is due (sorted set)
-- ARGV  1 the hook's id, 2 who claims, 3 for how many milliseconds, 4 the time, or nothing
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'token', 'nobody')
return redis.call('ZADD', KEYS[2], (tonumber(ARGV[4]) or milliseconds()) + ARGV[3], ARGV[1])
