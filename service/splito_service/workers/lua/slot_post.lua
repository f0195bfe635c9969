-- Queues a shift, unless one is queued or runs in its slot.
--
-- KEYS  1 the slot (string), 2 the queue (list)
-- ARGV  1 id of the new job, 2 milliseconds that a job that has left the queue may take to begin
local job = redis.call('GET', KEYS[1])
if not job then
  redis.call('SET', KEYS[1], ARGV[1])
  return 1
end
if redis.call('PTTL', KEYS[1]) == -1 and not redis.call('LPOS', KEYS[2], job) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
