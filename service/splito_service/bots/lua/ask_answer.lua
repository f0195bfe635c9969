-- Keeps the answer to an ask, the first one for good, and lets whoever waits for it know.
--
-- KEYS  1 the ask (hash), 2 what waits to be handed out and 3 what has been (sorted sets)
-- ARGV  1 the ask's id, 2 what the answer means, 3 what was said
-- Returns a word, and how many milliseconds are left.
local ask, id = KEYS[1], ARGV[1]
local found = redis.call('HMGET', ask, 'bot', 'put', 'deadline', 'desk', 'meant')
local bot, put, deadline, desk, meant = unpack(found)
if not bot then return {'unknown', 0} end
local now = milliseconds()
local left = math.max(0, deadline - now)
if meant then return {meant == ARGV[2] and 'same' or 'taken', left} end
if left == 0 then return {'late', 0} end

redis.call('HSET', ask, 'meant', ARGV[2], 'said', ARGV[3], 'answered', now)
redis.call('ZREM', KEYS[2], id)
redis.call('ZREM', KEYS[3], id)
redis.call('RPUSH', desk, id .. ' ' .. (now - put) .. ' ' .. ARGV[3])
redis.call('PEXPIRE', desk, redis.call('PTTL', ask))
redis.call('PUBLISH', 'matches', desk)
redis.call('PUBLISH', 'matches', 'bot:' .. bot)
return {'kept', left}
