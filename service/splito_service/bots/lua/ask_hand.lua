-- Hands out asks to a bot: those that wait, as many as it wants to have at a time, the most urgent first; and before
-- them those that it was handed before and should have answered, since it may never have got them.
--
-- KEYS  1 what waits to be handed out and 2 what has been (sorted sets, by the deadline)
-- ARGV  1 how many asks it wants at a time, 2 how many at most now, 3 after how many milliseconds, at most, one that was
--       not answered is handed out again
-- Returns the time, when one will have to be handed out again, or 0, and of each ask the ask and its deadline.
local waiting, handed, limit = KEYS[1], KEYS[2], tonumber(ARGV[2])
local now, soonest, found = milliseconds(), 0, {}

local function hand(id)
  local ask, deadline = unpack(redis.call('HMGET', 'ask:' .. id, 'ask', 'deadline'))
  redis.call('HSET', 'ask:' .. id, 'again', math.floor(now + math.min(ARGV[3], (deadline - now) / 2)))
  found[#found + 1] = {ask, tonumber(deadline)}
end

redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now)
redis.call('ZREMRANGEBYSCORE', handed, '-inf', now)
for _, id in ipairs(redis.call('ZRANGE', handed, 0, -1)) do
  local again = tonumber(redis.call('HGET', 'ask:' .. id, 'again'))
  if again <= now and #found < limit then
    hand(id)
  elseif soonest == 0 or again < soonest then
    soonest = again
  end
end
local free = math.min(ARGV[1] - redis.call('ZCARD', handed), limit - #found)
if free > 0 then
  for _, id in ipairs(redis.call('ZRANGE', waiting, 0, free - 1)) do
    redis.call('ZADD', handed, redis.call('ZSCORE', waiting, id), id)
    redis.call('ZREM', waiting, id)
    hand(id)
  end
end
return {now, soonest, found}
