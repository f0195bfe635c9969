-- Removes an owner and the keys.
--
-- KEYS  1 all owners (sorted set), 2... what there is of this one  ARGV  1 the owner's id
redis.call('ZREM', KEYS[1], ARGV[1])
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
