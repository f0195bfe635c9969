-- Stores the end of a block.
--
-- KEYS  1 the last blocks by the time of their end (sorted set), 2 the games per second of this kind of game (string)
-- ARGV  1 the block and its number of games, 2 maximum of blocks, 3 seconds that they are kept
local time = redis.call('TIME')
local now, games = time[1] * 1000 + math.floor(time[2] / 1000), 0
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[2] - 1)
redis.call('EXPIRE', KEYS[1], ARGV[3])
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local span = now - first[2]
if span < 1000 then return end
for _, block in ipairs(redis.call('ZRANGE', KEYS[1], 1, -1)) do games = games + string.match(block, '(%d+)$') end
redis.call('SET', KEYS[2], 1000 * games / span)
