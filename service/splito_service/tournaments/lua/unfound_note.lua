-- Stores that the host of a bot could not be looked up.
--
-- KEYS  1 the time of the first failed look-up of a series (string)
-- ARGV  1 seconds after which the series is forgotten
-- Returns the milliseconds since the first failed look-up of the series.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first = redis.call('GET', KEYS[1]) or now
redis.call('SET', KEYS[1], first, 'EX', ARGV[1])
return now - first
