-- Returns a hook, its number of waiting deliveries and dropped events, and the time at which it is deleted if unproved.
--
-- KEYS  1 the hook (string), 2 the waiting deliveries (sorted set), 3 the number of dropped events (string), 4 the unproved
-- hooks (sorted set)
-- ARGV  1 id of the hook
local expires = redis.call('ZSCORE', KEYS[4], ARGV[1])
return {redis.call('GET', KEYS[1]), redis.call('ZCARD', KEYS[2]), redis.call('GET', KEYS[3]), expires}
