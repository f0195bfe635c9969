-- Deletes a tournament, unless it has changed since it was read. Its leases expire.
--
-- KEYS  1 the tournament (string), 2 all of its kind, 3 all finished ones and 4 the schedule (sorted sets), 5... its
--       other keys
-- ARGV  1 id of the tournament, 2 the document that was read
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('UNLINK', KEYS[1])
for i = 5, #KEYS do redis.call('UNLINK', KEYS[i]) end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
