-- Replaces the ladder of the built-in bots by its successor.
--
-- KEYS  1 where the id of the ladder is (string)  ARGV  1 the old id, 2 the new id
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
