-- Seats a person or a bot at an open seat. The match begins when the last open seat is taken.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 the due matches (sorted set), 4 the open and 5 the running matches
-- ARGV  1 id of the match, 2 the seat, or -1 for any, 3 the player, 4 1 if it is a bot
-- Returns the seat and the number of the sitting; one nil if no such seat is open; nil if there is no such match; -1 if
-- the last open seat of a match without a person is for a bot.
local match, id, wanted = KEYS[1], ARGV[1], tonumber(ARGV[2])
local players = redis.call('HGET', match, 'players')
local is_bot = ARGV[4] == '1'
if not players then return false end
if is_bot and redis.call('HGET', match, 'open') == '1' and not has_people(match) then return -1 end

for seat = math.max(wanted, 0), wanted < 0 and players - 1 or wanted do
  if redis.call('HGET', match, 'sitting:' .. seat) == '-1' then
    local sitting = is_bot and 0 or redis.call('HINCRBY', match, 'sittings', 1)
    if is_bot then redis.call('HINCRBY', match, 'bots', 1) end
    redis.call('HSET', match, 'who:' .. seat, ARGV[3], 'sitting:' .. seat, sitting, 'seated', milliseconds())
    redis.call('HINCRBY', match, 'change', 1)
    keep_for(match, OPEN_IDLE)
    if redis.call('HINCRBY', match, 'open', -1) == 0 then
      begin_turn(match, KEYS[2], KEYS[3], id, 0, milliseconds())
      if redis.call('ZREM', KEYS[4], id) == 1 then redis.call('ZADD', KEYS[5], 0, id) end
    end
    redis.call('PUBLISH', 'matches', id)
    return {seat, sitting}
  end
end
return {}
