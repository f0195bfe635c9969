-- Removes a person from a seat. Before the match begins the seat becomes open; afterwards a bot plays on.
--
-- KEYS  1 the match (hash), 2 the due matches (sorted set)
-- ARGV  1 id of the match, 2 seat, 3 number of the sitting, 4 an open seat, 5 the bot with the person's name
-- Returns 1 if the sitting had the seat, else 0; nil if the match is unknown or over.
--
-- If no person is left at the table, it counts as one of the matches among bots alone of the client that created it.
local MANY = 256
-- Size of a client's set from which on the script removes matches that no longer run.

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
  local client = redis.call('HGET', match, 'client')
  if client and client ~= '' and not has_people(match) then
    local set = bot_matches(client)
    redis.call('SADD', set, id)
    keep_for(set, IDLE)
    if redis.call('SCARD', set) > MANY then count_running(set) end
  end
end
redis.call('HINCRBY', match, 'change', 1)
redis.call('PUBLISH', 'matches', id)
return 1
