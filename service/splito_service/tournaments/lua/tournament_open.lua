-- Adds blocks to a round, unless another process has added some in between.
--
-- KEYS  1 the rounds (hash), 2 the open blocks and 3 the ranges of blocks that are not open (sorted sets), 4 the tally (hash)
-- ARGV  1 id of the tournament, 2 the round, 3 blocks per table that the caller read, 4 new blocks per table, 5 number of
--       tables, 6 number of blocks that are opened at once
local rounds, open, waves, tally = unpack(KEYS)
local round, before, after, tables = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if redis.call('HGET', rounds, round) ~= before .. ' ' .. tables then return 0 end
redis.call('HSET', rounds, round, after .. ' ' .. tables)
add_waves(waves, tally, round, tables, before, after)
open_waves(open, waves, rounds, tally, tonumber(ARGV[6]))
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
