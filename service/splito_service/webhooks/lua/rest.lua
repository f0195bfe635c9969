-- Leaves a hook alone for a while, by a claim that no process holds.
--
-- KEYS  1 the claim (hash), 2 the due hooks (sorted set)
-- ARGV  1 id of the hook, 2 token of the claim, 3 milliseconds, 4 the time, or empty for the Redis clock
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'token', 'nobody')
return redis.call('ZADD', KEYS[2], (tonumber(ARGV[4]) or milliseconds()) + ARGV[3], ARGV[1])
