-- A person leaves. Before the match has begun the seat is open again; afterwards a bot plays on.
--
-- KEYS  1 the match (hash), 2 what is due (sorted set)
-- ARGV  1 the match's id, 2 seat, 3 the number of the sitting, 4 an open seat, 5 the bot with the person's name
-- Returns whether it was theirs to leave; nothing if the match is unknown or over.
local match, id, seat = KEYS[1], ARGV[1], ARGV[2]
local turn, sitting = unpack(redis.call('HMGET', match, 'turn', 'sitting:' .. seat))
if not turn then return false end
if sitting ~= ARGV[3] then return 0 end

if turn == '-1' then
  redis.call('HSET', match, 'who:' .. seat, ARGV[4], 'sitting:' .. seat, -1, 'seated', milliseconds())
  keep_for(match, OPEN_IDLE)
  redis.call('HINCRBY', match, 'open', 1)
else
  redis.call('HSET', match, 'who:' .. seat, ARGV[5], 'sitting:' .. seat, 0)
  redis.call('HINCRBY', match, 'bots', 1)
  redis.call('ZADD', KEYS[2], milliseconds(), id)
end
redis.call('HINCRBY', match, 'change', 1)
redis.call('PUBLISH', 'matches', id)
return 1
