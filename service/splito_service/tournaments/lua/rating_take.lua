-- What waits to be rated, for one rater at a time.
--
-- KEYS  1 who rates and 2 how many have been rated (strings), 3 what waits (list)
-- ARGV  1 the rater's token, 2 for how many milliseconds others leave it alone, 3 how many at most
-- Returns how many have been rated, and what is next; nothing, if there is nothing to do.
if redis.call('LLEN', KEYS[3]) == 0 or not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
return {tonumber(redis.call('GET', KEYS[2]) or 0), redis.call('LRANGE', KEYS[3], 0, ARGV[3] - 1)}
