-- Deletes a series; its tournaments stay.
--
-- KEYS  1 the series (string), 2 all series, 3 those that are due and 4 those that have ended (sorted sets), 5 the owner's
--       series (set)
-- ARGV  1 id of the series
redis.call('UNLINK', KEYS[1])
for i = 2, 4 do redis.call('ZREM', KEYS[i], ARGV[1]) end
redis.call('SREM', KEYS[5], ARGV[1])
