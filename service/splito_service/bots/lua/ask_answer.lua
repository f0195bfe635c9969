-- Stores the answer to an ask; the first answer is final. Notifies the process that waits for it.
--
-- KEYS  1 the ask (hash), 2 the asks to hand out and 3 the asks handed out (sorted sets)
-- ARGV  1 id of the ask, 2 meaning of the answer, 3 the accepted answer (JSON in one line), 4 body of the answer
-- Returns a status word and the milliseconds that are left.
local ask, id = KEYS[1], ARGV[1]
local found = redis.call('HMGET', ask, 'bot', 'put', 'deadline', 'desk', 'meant')
local bot, put, deadline, desk, meant = unpack(found)
if not bot then return {'unknown', 0} end
local now = milliseconds()
local left = math.max(0, deadline - now)
if meant then return {meant == ARGV[2] and 'same' or 'taken', left} end
if left == 0 then return {'late', 0} end

redis.call('HSET', ask, 'meant', ARGV[2], 'accepted', ARGV[3], 'said', ARGV[4], 'answered', now)
redis.call('ZREM', KEYS[2], id)
redis.call('ZREM', KEYS[3], id)
redis.call('RPUSH', desk, id .. ' ' .. (now - put) .. ' ' .. ARGV[3] .. '\n' .. ARGV[4])
redis.call('PEXPIRE', desk, redis.call('PTTL', ask))
redis.call('PUBLISH', 'matches', desk)
redis.call('PUBLISH', 'matches', 'bot:' .. bot)
return {'kept', left}
