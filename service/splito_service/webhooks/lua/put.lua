-- Stores an event for all subscribed hooks of an owner. A repeated event changes nothing.
--
-- KEYS  1 the subscribed hooks (set), 2 the known events (sorted set), 3 the due hooks (sorted set)
-- ARGV  1 id of the event, 2 id for its delivery, 3 kind of the event, 4 the body, 5 maximum of waiting deliveries of a
--       hook, 6 maximum of known events, 7 seconds that all is stored, 8 the time, or empty for the Redis clock
-- Returns the number of hooks that the event will be delivered to.
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
