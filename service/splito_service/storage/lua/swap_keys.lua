-- Replaces the keys of a ring, unless they have changed since the caller read them.
--
-- KEYS  1 the keys (string)  ARGV  1 the value that was read, 2 the new value
-- Returns 1 if the keys are replaced, else 0.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
