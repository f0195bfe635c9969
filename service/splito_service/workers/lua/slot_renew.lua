-- Renews the slot of a running shift.
--
-- KEYS  1 the place (string)  ARGV  1 the job, 2 its lease
local job = redis.call('GET', KEYS[1])
if not job or job == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
