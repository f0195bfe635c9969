-- Returns the due deliveries of a hook that the caller has claimed and renews the claim; ends the claim if there are none.
--
-- KEYS  1 the hook (string), 2 the waiting deliveries (sorted set), 3 the claim (hash), 4 the due hooks (sorted set)
-- ARGV  1 id of the hook, 2 token of the claim, 3 maximum of deliveries, 4 lease in milliseconds, 5 the time, or empty for
--       the Redis clock
-- Returns nil; or the hook, and for each delivery its id, the id of its message and its body.
local hook, waiting, claim, due, id = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
if redis.call('HGET', claim, 'token') ~= ARGV[2] then return {} end
local now, found = tonumber(ARGV[5]) or milliseconds(), {}
for _, delivery in ipairs(redis.call('ZRANGE', waiting, '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[3])) do
  local message, body = unpack(redis.call('HMGET', hook .. ':log:' .. delivery, 'message', 'body'))
  if message then
    found[#found + 1] = {delivery, message, body}
  else
    redis.call('ZREM', waiting, delivery)
  end
end
if #found > 0 then
  redis.call('ZADD', due, now + ARGV[4], id)
  return {redis.call('GET', hook), found}
end

redis.call('DEL', claim)
local first = redis.call('ZRANGE', waiting, 0, 0, 'WITHSCORES')
if first[1] then redis.call('ZADD', due, first[2], id) else redis.call('ZREM', due, id) end
return {}
