-- Returns the first members of a schedule that are due.
--
-- KEYS  1 the schedule (sorted set: ids by the time at which they are due)  ARGV  1 maximum of ids
return redis.call('ZRANGE', KEYS[1], '-inf', milliseconds(), 'BYSCORE', 'LIMIT', 0, ARGV[1])
