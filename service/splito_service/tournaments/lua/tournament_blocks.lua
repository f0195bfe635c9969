-- Functions of the scripts about blocks; this file is put before each of them.
--
-- A lease is a block in the sorted set of a bot, with the time of its end as score.

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

-- A wave is one block of every table of a round. The blocks that are not open yet are kept as ranges in a sorted set, one
-- range for each call that added blocks: `<round>-<first wave>-<its first table>-<wave after the last>`. So planning a
-- million blocks costs no more than planning one. (A range `<round>-<wave>` of an older version is one whole wave.)
local function add_waves(waves, tally, round, tables, first, last)
  if first == last then return end
  redis.call('ZADD', waves, 0, string.format('%s-%04d-%05d-%d', round, first, 0, last))
  redis.call('HINCRBY', tally, 'ahead', tables * (last - first))
end

-- Opens at most `most` blocks of the first range and returns their number.
local function open_range(open, waves, rounds, tally, most)
  local range = redis.call('ZPOPMIN', waves)[1]
  if not range then return 0 end
  local round, wave, place, last = string.match(range, '^(%d+)-(%d+)-?(%d*)-?(%d*)$')
  local tables = tonumber(string.match(redis.call('HGET', rounds, round), ' (%d+)$'))
  wave, place = tonumber(wave), tonumber(place) or 0
  last = tonumber(last) or wave + 1
  local words = {}
  while wave < last and #words < 2 * most do
    words[#words + 1] = 0
    words[#words + 1] = string.format('%s-%04d-%05d', round, wave, place)
    place = place + 1
    if place >= tables then wave, place = wave + 1, 0 end
  end
  local opened = #words / 2
  redis.call('ZADD', open, unpack(words))
  redis.call('HINCRBY', tally, 'ahead', -opened)
  if wave < last then redis.call('ZADD', waves, 0, string.format('%s-%04d-%05d-%d', round, wave, place, last)) end
  return opened
end

-- Opens this number of blocks, in order, if there are as many.
local function open_waves(open, waves, rounds, tally, enough)
  while enough > 0 do
    -- `unpack` takes some thousands of values at most
    local opened = open_range(open, waves, rounds, tally, math.min(enough, 1000))
    if opened == 0 then return end
    enough = enough - opened
  end
end
