-- Stores when a match is due next, unless it has changed since the caller read it.
--
-- KEYS  1 the match (hash), 2 the due matches (sorted set)
-- ARGV  1 id of the match, 2 number of the last change that the caller read, 3 the time, or empty for never
local change = redis.call('HGET', KEYS[1], 'change')
if change and change ~= ARGV[2] then return 0 end
if change and ARGV[3] ~= '' then redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) else redis.call('ZREM', KEYS[2], ARGV[1]) end
return 1
