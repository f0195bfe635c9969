-- Notes that a key is used now, unless it or its owner was removed meanwhile.
--
-- KEYS  1 the key (string), 2 when each key of the owner was last used (hash), 3 all owners, by the last use of a key (sorted
--       set), 4 the owner (string)
-- ARGV  1 the key's id, 2 the owner's, 3 how long it is kept without use and 4 when it ends, or 0
if redis.call('EXISTS', KEYS[1], KEYS[4]) < 2 then return 0 end
keep_key(KEYS[1], ARGV[3], ARGV[4])
redis.call('HSET', KEYS[2], ARGV[1], milliseconds())
redis.call('ZADD', KEYS[3], milliseconds(), ARGV[2])
return 1
