-- Returns the next blocks to rate, for one rater at a time.
--
-- KEYS  1 the rater and 2 the number of rated blocks (strings), 3 the queue (list)
-- ARGV  1 token of the rater, 2 lease in milliseconds, 3 maximum of blocks
-- Returns the number of rated blocks and the next blocks; nil if there is nothing to do.
if redis.call('LLEN', KEYS[3]) == 0 or not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
return {tonumber(redis.call('GET', KEYS[2]) or 0), redis.call('LRANGE', KEYS[3], 0, ARGV[3] - 1)}
