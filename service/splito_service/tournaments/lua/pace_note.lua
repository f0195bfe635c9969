-- Notes that a block has ended.
--
-- KEYS  1 the last blocks (sorted set), 2 the pace of such games (string)
-- ARGV  1 the block and its games, 2 how many are remembered, 3 for how many seconds
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
