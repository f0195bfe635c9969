-- Forgets a tournament, unless it has changed meanwhile. Its leases lapse by themselves.
--
-- KEYS  1 the tournament (string), 2 all of its kind and 3 all that are over (sorted sets), 4... all else that there is of it
-- ARGV  1 its id, 2 the tournament as it was seen
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('UNLINK', KEYS[1])
for i = 4, #KEYS do redis.call('UNLINK', KEYS[i]) end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
