-- What the scripts about blocks need; it stands before each of them.
--
-- A lease is a block in the sorted set of a bot, by the time until which it holds.

local function table_of(block)
  local round, place = string.match(block, '^(%d+)-%d+-(%d+)$')
  return round .. '-' .. place
end

local function bots_at(tables, block)
  return cjson.decode(redis.call('HGET', tables, table_of(block)))
end

local function lease(bots, name, now, lasting)
  for _, bot in ipairs(bots) do
    local leases = 'leases:' .. bot
    redis.call('ZADD', leases, now + lasting, name)
    if redis.call('PTTL', leases) < lasting then redis.call('PEXPIRE', leases, lasting) end
  end
end

local function give_back(bots, name)
  for _, bot in ipairs(bots) do redis.call('ZREM', 'leases:' .. bot, name) end
end

-- A wave is one block of every table of a round, `<round>-<number>`. Those that are not open yet wait in a sorted set, so
-- that planning a million blocks takes no longer than planning a few.
local function add_waves(waves, tally, round, tables, first, last)
  for number = first, last - 1 do redis.call('ZADD', waves, 0, string.format('%s-%04d', round, number)) end
  redis.call('HINCRBY', tally, 'ahead', tables * (last - first))
end

local function open_wave(open, wave, tables)
  local round, number = string.match(wave, '^(%d+)-(%d+)$')
  for begin = 0, tables - 1, 1000 do  -- `unpack` has a limit of some thousands
    local words = {}
    for place = begin, math.min(begin + 1000, tables) - 1 do
      words[#words + 1] = 0
      words[#words + 1] = string.format('%s-%s-%05d', round, number, place)
    end
    redis.call('ZADD', open, unpack(words))
  end
end

local function open_waves(open, waves, rounds, tally, enough)
  local opened = 0
  while opened < enough do
    local wave = redis.call('ZPOPMIN', waves)[1]
    if not wave then return end
    local tables = tonumber(string.match(redis.call('HGET', rounds, string.match(wave, '^%d+')), ' (%d+)$'))
    open_wave(open, wave, tables)
    redis.call('HINCRBY', tally, 'ahead', -tables)
    opened = opened + tables
  end
end
