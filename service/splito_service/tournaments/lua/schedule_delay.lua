-- Delays a member of a schedule that could not be attended to, so that it does not keep the others waiting.
--
-- KEYS  1 the schedule (sorted set)  ARGV  1 the id, 2 milliseconds
redis.call('ZADD', KEYS[1], 'XX', milliseconds() + ARGV[2], ARGV[1])
