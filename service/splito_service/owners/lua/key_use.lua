-- Stores that a key is used now, unless the key or its owner has been removed.
--
-- KEYS  1 the key (string), 2 when each key of the owner was last used (hash), 3 all owners, by the last use of a key (sorted
--       set), 4 the owner (string)
-- ARGV  1 id of the key, 2 id of the owner, 3 lifetime without use and 4 the time at which the key ends, or 0
if redis.call('EXISTS', KEYS[1], KEYS[4]) < 2 then return 0 end
keep_key(KEYS[1], ARGV[3], ARGV[4])
redis.call('HSET', KEYS[2], ARGV[1], milliseconds())
redis.call('ZADD', KEYS[3], milliseconds(), ARGV[2])
return 1
