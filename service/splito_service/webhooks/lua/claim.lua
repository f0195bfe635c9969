-- Claims hooks that have due deliveries. The claim expires after its lease.
--
-- KEYS  1 the due hooks (sorted set)
-- ARGV  1 token of the claim, 2 maximum of hooks, 3 lease in milliseconds, 4 the time, or empty for the Redis clock
local now = tonumber(ARGV[4]) or milliseconds()
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  redis.call('ZADD', KEYS[1], now + ARGV[3], id)
  redis.call('HSET', 'hook:' .. id .. ':claim', 'token', ARGV[1])
end
return ids
