-- Logs a try of an ask. The ask keeps the row under which it was first logged, with all its tries.
--
-- KEYS  1 the log of the bot (sorted set of rows: id of the row, a hyphen, id of the ask), 2 the logged ask (hash)
-- ARGV  1 id of the ask, 2 id for its row if it has none yet, 3 subject and outcome of the ask, 4 the exchange,
--       5 the id before which rows are too old, 6 number of asks, 7 tries per ask and 8 seconds that the log keeps
local log, noted, id = KEYS[1], KEYS[2], ARGV[1]
if redis.call('HSETNX', noted, 'id', ARGV[2]) == 1 then redis.call('ZADD', log, 0, ARGV[2] .. '-' .. id) end
local try = redis.call('HINCRBY', noted, 'tries', 1)
redis.call('HSET', noted, 'row', ARGV[3], try, ARGV[4])
redis.call('HDEL', noted, try - ARGV[7])
redis.call('EXPIRE', noted, ARGV[8])
redis.call('EXPIRE', log, ARGV[8])

redis.call('ZREMRANGEBYLEX', log, '-', '(' .. ARGV[5])
for _, row in ipairs(redis.call('ZRANGE', log, 0, -ARGV[6] - 1)) do
  redis.call('DEL', log .. ':' .. string.sub(row, #ARGV[2] + 2))
  redis.call('ZREM', log, row)
end
