-- Begins a shift, if its slot is still its own.
--
-- KEYS  1 the place (string)  ARGV  1 the job, 2 its lease
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
