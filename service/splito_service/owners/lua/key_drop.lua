-- Removes a key of an owner.
--
-- KEYS  1 the key (string), 2 the ids of the owner's keys (sorted set), 3 time of the last use of each key (hash)
-- ARGV  1 id of the key
-- Returns 1 if the key is removed, else 0.
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])
