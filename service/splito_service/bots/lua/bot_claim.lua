-- Returns bots that are due for a health check, and schedules their next one.
--
-- KEYS  1 the bots that are due for a health check (sorted set)
-- ARGV  1 milliseconds until the next health check, 2 maximum of bots, 3 the time, or empty for the Redis clock
local time = redis.call('TIME')
local now = tonumber(ARGV[3]) or time[1] * 1000 + math.floor(time[2] / 1000)
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], now + ARGV[1], id) end
return ids
