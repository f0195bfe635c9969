-- Renews the slot of a running shift.
--
-- KEYS  1 the slot (string)  ARGV  1 id of the job, 2 lease in milliseconds
local job = redis.call('GET', KEYS[1])
if not job or job == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
