-- Frees the slot of a shift that ends.
--
-- KEYS  1 the slot (string)  ARGV  1 id of the job
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
