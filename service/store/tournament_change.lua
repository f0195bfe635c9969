-- Changes a tournament, unless somebody else has done so meanwhile.
--
-- KEYS  1 the tournament (string), 2 those that run (set)
-- ARGV  1 its id, 2 the tournament as it was seen, 3 as it shall be, 4 whether it runs
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
redis.call(ARGV[4] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[1])
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
