-- When a match must be looked at next, unless something has happened to it since it was looked at.
--
-- KEYS  1 the match (hash), 2 what is due (sorted set)
-- ARGV  1 the match's id, 2 the last change seen, 3 when, or nothing for never
local change = redis.call('HGET', KEYS[1], 'change')
if change and change ~= ARGV[2] then return 0 end
if change and ARGV[3] ~= '' then redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) else redis.call('ZREM', KEYS[2], ARGV[1]) end
return 1
