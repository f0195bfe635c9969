-- Stores the outcome of a try and the time of the next try.
--
-- KEYS  1 the delivery (hash), 2 the waiting deliveries (sorted set), 3 the claim (hash), 4 the log (sorted set of ids)
-- ARGV  1 id of the delivery, 2 token of the claim, 3 the try, 4 1 if it was accepted, 5 the time, or empty, 6 maximum of
--       tries and 7 of deliveries that are stored, 8 the id before which they are too old, 9... pauses in milliseconds after
--       the first failure, the second and so on
-- Returns the state of the delivery; nil, without a change, if the caller no longer has the claim.
local kept, waiting, log, id = KEYS[1], KEYS[2], KEYS[4], ARGV[1]
if redis.call('HGET', KEYS[3], 'token') ~= ARGV[2] or redis.call('EXISTS', kept) == 0 then return false end
local state, try = 'delivered', redis.call('HINCRBY', kept, 'tries', 1)
redis.call('HSET', kept, try, ARGV[3])
redis.call('HDEL', kept, try - ARGV[6])
if ARGV[4] == '0' then
  local pause = ARGV[8 + redis.call('HINCRBY', kept, 'failures', 1)]
  state = pause and 'waiting' or 'failed'
  if pause then
    local due = (tonumber(ARGV[5]) or milliseconds()) + pause
    redis.call('ZADD', waiting, due, id)
    redis.call('HSET', kept, 'due', due)
  end
end
if state ~= 'waiting' then
  redis.call('ZREM', waiting, id)
  redis.call('HDEL', kept, 'due')
end
redis.call('HSET', kept, 'state', state)

redis.call('ZADD', log, 0, id)
redis.call('ZREMRANGEBYLEX', log, '-', '(' .. ARGV[8])
for _, old in ipairs(redis.call('ZRANGE', log, 0, -ARGV[7] - 1)) do
  if not redis.call('ZSCORE', waiting, old) then
    redis.call('DEL', log .. ':' .. old)
    redis.call('ZREM', log, old)
  end
end
return state
