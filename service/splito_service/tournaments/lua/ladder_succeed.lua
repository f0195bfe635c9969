-- Replaces a house ladder by its successor, unless another process has done so.
--
-- KEYS  1 the id of the ladder (string)  ARGV  1 the old id, 2 the new id
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
