-- Puts an ask where its bot finds it; its clock starts. If it is there already, whoever put it is gone: the clock starts
-- anew, unless the answer has come meanwhile.
--
-- KEYS  1 the ask (hash), 2 what waits to be handed out and 3 what has been (sorted sets, by the deadline)
-- ARGV  1 the ask's id, 2 its bot, 3 its game, 4 the ask, 5 its milliseconds, 6 the desk that waits for the answer,
--       7 for how many milliseconds it is remembered after its deadline
-- Returns nothing; or if it has been answered, after how many milliseconds, and what was said.
local ask, waiting, handed, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local put, answered, said = unpack(redis.call('HMGET', ask, 'put', 'answered', 'said'))
if answered then return {answered - put, said} end

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
