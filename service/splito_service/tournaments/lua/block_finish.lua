-- Writes the entry of a block that is still open; a second call changes nothing. If the tournament no longer runs, the block
-- must still be claimed, because no entry may be written after the secret of the deals was shown.
--
-- KEYS  1 the open blocks (sorted set), 2 the claims, 3 the tables and 4 the ledger (hashes), 5 the blocks that are over
--       (sorted set), 6 the tally and 7 the times (hashes), 8 the queue of ratings (list), 9 the running tournaments
--       (set)
-- ARGV  1 id of the tournament, 2 the block, 3 its entry, 4 number of games, 5 number of entries that are kept, or 0
--       for all, 6 the block for the queue of ratings, or empty, 7... the fields of the times and their increments
local open, claims, tables, ledger, done, tally, times, queue, running = unpack(KEYS)
local id, block, games, kept = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local claimed = tonumber(redis.call('ZSCORE', open, block) or -1)
if claimed < 0 then return 0 end
if claimed < milliseconds() and redis.call('SISMEMBER', running, id) == 0 then return 0 end
redis.call('ZREM', open, block)

redis.call('HDEL', claims, block)
give_back(bots_at(tables, block), id .. '/' .. block)
redis.call('HSET', ledger, block, ARGV[3])
redis.call('ZADD', done, 0, block)
redis.call('HINCRBY', tally, 'done', 1)
redis.call('HINCRBY', tally, games == 0 and 'skipped' or 'games', math.max(games, 1))
for i = 7, #ARGV, 2 do redis.call('HINCRBY', times, ARGV[i], ARGV[i + 1]) end
if ARGV[6] ~= '' then redis.call('RPUSH', queue, ARGV[6]) end

for _, old in ipairs(kept > 0 and redis.call('ZRANGE', done, 0, -kept - 1) or {}) do
  redis.call('HDEL', ledger, old)
  redis.call('ZREM', done, old)
end
redis.call('PUBLISH', 'matches', id)
return 1
