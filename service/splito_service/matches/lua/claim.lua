-- Returns due matches. Other callers get them again only after a lease.
--
-- KEYS  1 the due matches (sorted set)
-- ARGV  1 maximum of matches
local now = milliseconds()
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], now + LEASE, id) end
return {now, ids}
