-- Matches that somebody must look at now. They are the caller's for a while, then anybody's again.
--
-- KEYS  1 what is due (sorted set)
-- ARGV  1 how many at most
local now = milliseconds()
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], now + LEASE, id) end
return {now, ids}
