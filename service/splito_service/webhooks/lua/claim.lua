-- Hooks with something to deliver. They are the caller's for a while, then anybody's again.
--
-- KEYS  1 what is due (sorted set)
-- ARGV  1 who claims, 2 how many at most, 3 for how many milliseconds, 4 the time, or nothing
local now = tonumber(ARGV[4]) or milliseconds()
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  redis.call('ZADD', KEYS[1], now + ARGV[3], id)
  redis.call('HSET', 'hook:' .. id .. ':claim', 'token', ARGV[1])
end
return ids
