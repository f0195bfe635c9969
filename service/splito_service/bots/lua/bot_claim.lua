-- Returns bots whose health is to be looked at; they are due again after a while.
--
-- KEYS  1 what is due (sorted set)
-- ARGV  1 after how many milliseconds they are due again, 2 how many at most, 3 the time, or nothing for the time it is
local time = redis.call('TIME')
local now = tonumber(ARGV[3]) or time[1] * 1000 + math.floor(time[2] / 1000)
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], now + ARGV[1], id) end
return ids
