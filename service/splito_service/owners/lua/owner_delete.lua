-- Removes an owner and all keys of the owner.
--
-- KEYS  1 all owners (sorted set), 2... the keys in Redis of this owner  ARGV  1 id of the owner
redis.call('ZREM', KEYS[1], ARGV[1])
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
