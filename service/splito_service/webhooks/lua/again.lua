-- Schedules a delivery once more, at once and with as many tries as at first.
--
-- KEYS  1 the delivery (hash), 2 the waiting deliveries (sorted set), 3 the claim (hash), 4 the due hooks and 5 the unproved
--       hooks (sorted sets)
-- ARGV  1 id of the hook, 2 1 if it is enabled, 3 id of the delivery, 4 maximum of waiting deliveries, 5 seconds that it is
--       stored, 6 the time, or empty for the Redis clock
-- Returns a status word.
local kept, waiting, id = KEYS[1], KEYS[2], ARGV[3]
if redis.call('ZSCORE', KEYS[5], ARGV[1]) then return 'unproved' end
if redis.call('EXISTS', kept) == 0 then return 'unknown' end
if not redis.call('ZSCORE', waiting, id) and redis.call('ZCARD', waiting) >= tonumber(ARGV[4]) then return 'full' end
local now = tonumber(ARGV[6]) or milliseconds()
redis.call('HSET', kept, 'state', 'waiting', 'failures', 0, 'due', now)
redis.call('EXPIRE', kept, ARGV[5])
redis.call('ZADD', waiting, now, id)
local claimed = (redis.call('HGET', KEYS[3], 'token') or 'nobody') ~= 'nobody'
if ARGV[2] == '1' and not claimed then redis.call('ZADD', KEYS[4], 'LT', now, ARGV[1]) end
return 'put'
