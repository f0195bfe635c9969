-- Hands out asks to a bot: first the asks that it got before and has not answered, because they may have been lost, then
-- waiting asks up to its limit, the most urgent first.
--
-- KEYS  1 the asks to hand out and 2 the asks handed out (sorted sets by deadline)
-- ARGV  1 number of asks that the bot takes at a time, 2 maximum for this call, 3 milliseconds after which an unanswered
--       ask is handed out again at the latest
-- Returns the time, the time of the next repetition or 0, and for each ask the ask and its deadline.
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
