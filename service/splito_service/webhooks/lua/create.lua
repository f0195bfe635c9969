-- Stores a new hook, which is told nothing before it has proved itself.
--
-- KEYS  1 the hook (string), 2 those of the owner and 3 those that are unproved (sorted sets)
-- ARGV  1 its id, 2 the hook, 3 how many at most, 4 milliseconds until it is deleted unless it proves itself
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('ZADD', KEYS[3], milliseconds() + ARGV[4], ARGV[1])
return 1
