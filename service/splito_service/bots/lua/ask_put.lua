-- Stores an ask for its bot and starts its time limit. If the ask is stored already, the process that put it is gone: the
-- time limit starts anew, unless the bot has answered.
--
-- KEYS  1 the ask (hash), 2 the asks to hand out and 3 the asks handed out (sorted sets by deadline)
-- ARGV  1 id of the ask, 2 id of its bot, 3 its game, 4 the request, 5 time limit in milliseconds, 6 the desk of the process,
--       7 milliseconds that the ask is stored after its deadline
-- Returns nil; or the milliseconds that the bot took, the accepted answer and its body, if the ask has been answered.
local ask, waiting, handed, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local put, answered, accepted, said = unpack(redis.call('HMGET', ask, 'put', 'answered', 'accepted', 'said'))
if answered then return {answered - put, accepted, said} end

local now = milliseconds()
local deadline, lasting = now + ARGV[5], ARGV[5] + ARGV[7]
redis.call('HSET', ask, 'bot', ARGV[2], 'game', ARGV[3], 'ask', ARGV[4], 'put', now, 'deadline', deadline, 'desk', ARGV[6])
redis.call('PEXPIRE', ask, lasting)
redis.call('ZREM', handed, id)
redis.call('ZADD', waiting, deadline, id)
for _, set in ipairs({waiting, handed}) do
  if redis.call('PTTL', set) < lasting then redis.call('PEXPIRE', set, lasting) end
end
redis.call('PUBLISH', 'matches', 'bot:' .. ARGV[2])
return {}
