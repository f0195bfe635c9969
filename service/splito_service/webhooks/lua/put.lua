-- An event for all hooks of an owner that want it. Whoever puts it a second time changes nothing.
--
-- KEYS  1 the hooks that want it (set), 2 the events that are known (sorted set), 3 what is due (sorted set)
-- ARGV  1 the event's id, 2 an id for its delivery, 3 what kind of event it is, 4 the body, 5 how many deliveries of a
--       hook may wait, 6 how many events are known, 7 how many seconds all is kept, 8 the time, or nothing
-- Returns how many hooks it waits for.
local hooks, known, due, delivery, put = redis.call('SMEMBERS', KEYS[1]), KEYS[2], KEYS[3], ARGV[2], 0
if #hooks == 0 then return 0 end
local now = tonumber(ARGV[8]) or milliseconds()
if redis.call('ZADD', known, 'NX', now, ARGV[1]) == 0 then return 0 end
redis.call('ZREMRANGEBYRANK', known, 0, -ARGV[6] - 1)
redis.call('EXPIRE', known, ARGV[7])

for _, id in ipairs(hooks) do
  local hook = 'hook:' .. id
  if redis.call('ZCARD', hook .. ':waiting') >= tonumber(ARGV[5]) then
    redis.call('INCR', hook .. ':dropped')
  else
    local kept = hook .. ':log:' .. delivery
    redis.call('HSET', kept, 'message', ARGV[1], 'event', ARGV[3], 'body', ARGV[4], 'put', now, 'state', 'waiting',
      'due', now, 'tries', 0, 'failures', 0)
    redis.call('EXPIRE', kept, ARGV[7])
    redis.call('ZADD', hook .. ':waiting', now, delivery)
    redis.call('EXPIRE', hook .. ':waiting', ARGV[7])
    if not redis.call('HGET', hook .. ':claim', 'token') then redis.call('ZADD', due, 'LT', now, id) end
    put = put + 1
  end
end
return put
