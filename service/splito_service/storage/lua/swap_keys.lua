-- Replaces the keys of a ring, unless they have changed since the caller read them.
--
-- KEYS  1 the keys (string)  ARGV  1 what was read, 2 what is to be written
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
