-- A hook, how many deliveries wait, how many events were dropped, and when it is deleted unless it proves itself.
--
-- KEYS  1 the hook (string), 2 what waits (sorted set), 3 how many were dropped (string), 4 the unproved (sorted set)
-- ARGV  1 its id
local expires = redis.call('ZSCORE', KEYS[4], ARGV[1])
return {redis.call('GET', KEYS[1]), redis.call('ZCARD', KEYS[2]), redis.call('GET', KEYS[3]), expires}
