-- The next round of a tournament, with its tables and their blocks, unless the tournament has changed meanwhile.
--
-- KEYS  1 the tournament (string), 2 its rounds and 3 tables (hashes), 4 its open blocks, 5 the waves that are not open
--       and 6 the blocks that are over (sorted sets), 7 the tally (hash)
-- ARGV  1 its id, 2 the tournament as it was seen, 3 as it shall be, 4 the round, 5 how many blocks a table has,
--       6 whether old blocks are forgotten, 7 how many blocks are opened at once, 8... each table and its bots
local tournament, rounds, tables, open, waves, done, tally = unpack(KEYS)
if redis.call('GET', tournament) ~= ARGV[2] then return 0 end

local round, blocks, count = ARGV[4], ARGV[5], (#ARGV - 7) / 2
redis.call('SET', tournament, ARGV[3])
redis.call('HSET', rounds, round, blocks .. ' ' .. count)
for i = 8, #ARGV, 2 do redis.call('HSET', tables, ARGV[i], ARGV[i + 1]) end
add_waves(waves, tally, round, count, 0, tonumber(blocks))
open_waves(open, waves, rounds, tally, tonumber(ARGV[7]))

-- A round goes when the last of its blocks has been forgotten.
local function forget()
  local oldest = redis.call('ZRANGE', done, 0, 0)[1] or round
  for _, blocks in ipairs({redis.call('ZRANGE', waves, 0, 0), redis.call('ZRANGE', open, 0, -1)}) do
    for _, block in ipairs(blocks) do
      if block < oldest then oldest = block end
    end
  end
  local first = string.sub(oldest, 1, #round)
  for _, hash in ipairs({rounds, tables}) do
    for _, field in ipairs(redis.call('HKEYS', hash)) do
      if string.sub(field, 1, #first) < first then redis.call('HDEL', hash, field) end
    end
  end
end

if ARGV[6] == '1' then forget() end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
