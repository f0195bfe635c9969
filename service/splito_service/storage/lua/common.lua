-- Functions that several scripts need; this file is put before each of them.

local LEASE = 3000
-- Milliseconds that the process that began a turn has to ask its bots; afterwards any other process may.

local function milliseconds()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Scripts about matches have three more constants, in seconds, 0 for ever: IDLE, the time without a move after which a
-- match is removed; OPEN_IDLE, the same while seats are open; OVER, the time for which the record of a finished match is
-- kept. The sweeper removes a match at that time; the key itself expires a day later, in case no sweeper runs.
local DAY = 24 * 3600

-- Sets the expiry of a key, or removes it if `seconds` is 0.

local function keep_for(key, seconds)
  if seconds > 0 then redis.call('EXPIRE', key, seconds + DAY) else redis.call('PERSIST', key) end
end

-- Returns the smallest bank of all seats, in milliseconds.
local function least_bank(match)
  local least
  for seat = 0, redis.call('HGET', match, 'players') - 1 do
    local bank = tonumber(redis.call('HGET', match, 'bank:' .. seat))
    if not least or bank < least then least = bank end
  end
  return least
end

-- Returns the number of running matches in a client's set and removes the others from it.
local function count_running(set)
  for _, id in ipairs(redis.call('SMEMBERS', set)) do
    if redis.call('EXISTS', 'match:{' .. id .. '}') == 0 then redis.call('SREM', set, id) end
  end
  return redis.call('SCARD', set)
end

local function bot_matches(client) return 'client:' .. client .. ':bot-matches' end

-- Returns true if a person has a seat of the match.
local function has_people(match)
  for seat = 0, redis.call('HGET', match, 'players') - 1 do
    if tonumber(redis.call('HGET', match, 'sitting:' .. seat)) > 0 then return true end
  end
  return false
end

-- Begins a turn. The score in `due` is the time at which a process must look at the match again: soon if bots have seats,
-- because the process that asks them may be killed; otherwise the time at which the first clock can run out.
local function begin_turn(match, turns, due, id, turn, now)
  redis.call('HSET', match, 'turn', turn, 'began', now)
  keep_for(match, IDLE)
  keep_for(turns, IDLE)
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
