-- Removes an action from the log.
--
-- KEYS  1 the log (sorted set of ids), 2 the action (string)  ARGV  1 id of the action
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('UNLINK', KEYS[2])
