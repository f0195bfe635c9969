-- What several scripts need; it stands before each of them.

local LEASE = 3000
-- For so many milliseconds the process that began a turn has the time to ask its bots; then any other may.
local IDLE = 30 * 24 * 3600
-- After so many seconds in which nothing happened, a match is forgotten.

local function milliseconds()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function least_bank(match)
  local least
  for seat = 0, redis.call('HGET', match, 'players') - 1 do
    local bank = tonumber(redis.call('HGET', match, 'bank:' .. seat))
    if not least or bank < least then least = bank end
  end
  return least
end

-- A turn begins. `due` says when somebody must look at the match again if nothing else happens: soon, if bots sit at
-- it, lest the process that asks them dies; otherwise when the first clock can run out.
local function begin_turn(match, turns, due, id, turn, now)
  redis.call('HSET', match, 'turn', turn, 'began', now)
  redis.call('EXPIRE', match, IDLE)
  redis.call('EXPIRE', turns, IDLE)
  local fields = redis.call('HMGET', match, 'bots', 'clock', 'limit')
  local bots, clock, limit = tonumber(fields[1]), fields[2], tonumber(fields[3])
  if bots > 0 then
    redis.call('ZADD', due, now + LEASE, id)
  elseif clock == 'turn' then
    redis.call('ZADD', due, now + limit, id)
  elseif clock == 'bank' then
    redis.call('ZADD', due, now + least_bank(match), id)
  end
end
