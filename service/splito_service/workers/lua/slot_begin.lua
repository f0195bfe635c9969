-- Begins a shift if it still has its slot.
--
-- KEYS  1 the slot (string)  ARGV  1 id of the job, 2 lease in milliseconds
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
