-- Returns entries of the finished blocks, in order.
--
-- KEYS  1 the blocks (sorted set), 2 the ledger (hash)  ARGV  1 the block before the first, or empty, 2 maximum of entries
local first = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local blocks = redis.call('ZRANGE', KEYS[1], first, '+', 'BYLEX', 'LIMIT', 0, ARGV[2])
return #blocks > 0 and redis.call('HMGET', KEYS[2], unpack(blocks)) or {}
