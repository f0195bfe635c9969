-- Adds the next round of a tournament, whose tables `tournament_stage` has written, and opens its first blocks; unless the
-- tournament has changed since it was read, or another plan has taken over.
--
-- KEYS  1 the tournament (string), 2 its rounds and 3 tables (hashes), 4 its open blocks, 5 the ranges of blocks that are not
--       open and 6 the blocks that are over (sorted sets), 7 the tally and 8 the plan that is being written (hashes)
-- ARGV  1 id of the tournament, 2 the document that was read, 3 the new document, 4 the round, 5 blocks per table,
--       6 1 if old blocks are dropped, 7 number of blocks that are opened at once, 8 token of the plan, 9 number of
--       tables
-- Returns 1; -1 if another plan has taken over, -2 if the tournament has changed.
local tournament, rounds, tables, open, waves, done, tally, plan = unpack(KEYS)
if redis.call('GET', tournament) ~= ARGV[2] then return -2 end
if redis.call('HGET', plan, 'token') ~= ARGV[8] then return -1 end

local round, blocks, count = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[9])
redis.call('SET', tournament, ARGV[3])
redis.call('DEL', plan)
redis.call('HSET', rounds, round, blocks .. ' ' .. count)
if count > 0 then add_waves(waves, tally, round, count, 0, blocks) end
open_waves(open, waves, rounds, tally, tonumber(ARGV[7]))

-- Removes the rounds of which no block is kept. The tally has the number of the first kept round.
local function forget()
  local oldest = redis.call('ZRANGE', done, 0, 0)[1] or round
  for _, blocks in ipairs({redis.call('ZRANGE', waves, 0, 0), redis.call('ZRANGE', open, 0, -1)}) do
    for _, block in ipairs(blocks) do
      if block < oldest then oldest = block end
    end
  end
  local first = tonumber(redis.call('HGET', tally, 'first') or 0)
  -- the rest is removed with the next rounds
  local last = math.min(tonumber(string.sub(oldest, 1, #round)), first + 1000)
  for number = first, last - 1 do
    local old = string.format('%0' .. #round .. 'd', number)
    local seats = tonumber(string.match(redis.call('HGET', rounds, old) or '', ' (%d+)$') or 0)
    for place = 0, seats - 1 do redis.call('HDEL', tables, string.format('%s-%05d', old, place)) end
    redis.call('HDEL', rounds, old)
  end
  redis.call('HSET', tally, 'first', last)
end

if ARGV[6] == '1' then forget() end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
