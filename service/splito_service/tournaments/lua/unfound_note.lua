-- Notes that the name of a bot could not be looked up.
--
-- KEYS  1 since when the name of a bot could not be looked up (string)
-- ARGV  1 the seconds after which this is forgotten
-- Returns for how many milliseconds it has been so.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first = redis.call('GET', KEYS[1]) or now
redis.call('SET', KEYS[1], first, 'EX', ARGV[1])
return now - first
