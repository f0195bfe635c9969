-- Stores a new hook, which gets no events before it is proved.
--
-- KEYS  1 the hook (string), 2 the hooks of the owner and 3 the unproved hooks (sorted sets)
-- ARGV  1 id of the hook, 2 the hook, 3 maximum of hooks, 4 milliseconds until it is deleted if it is not proved
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('ZADD', KEYS[3], milliseconds() + ARGV[4], ARGV[1])
return 1
