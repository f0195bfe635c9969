-- Removes a key of an owner.
--
-- KEYS  1 the key (string), 2 the ids of the owner's keys (sorted set), 3 when each was last used (hash)
-- ARGV  1 the key's id
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])
