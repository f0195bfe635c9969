-- Notes how a try went, and when the next one is due.
--
-- KEYS  1 the delivery (hash), 2 what waits (sorted set), 3 the claim (hash), 4 the log (sorted set of ids)
-- ARGV  1 the delivery's id, 2 who claims, 3 how the try went, 4 whether it was taken, 5 the time, or nothing, 6 how many
--       tries and 7 how many deliveries are kept, 8 the id before which they are too old, 9... after how many
--       milliseconds the next try follows on the first failure, the second and so on
-- Returns the state of the delivery; nothing, and nothing is changed, if the claim is no longer the caller's.
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
