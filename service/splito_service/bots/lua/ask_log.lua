-- Notes what came of an ask. It stands in the log once, where it was first noted, with all that was tried.
--
-- KEYS  1 the log of the bot (sorted set of rows: the row's id, a hyphen, the ask's id), 2 what is noted of the ask (hash)
-- ARGV  1 the ask's id, 2 an id for its row, if it has none yet, 3 what it was about and how it went, 4 what was said,
--       5 the id before which rows are too old, 6 how many asks, 7 how many tries of each and 8 how many seconds are kept
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
