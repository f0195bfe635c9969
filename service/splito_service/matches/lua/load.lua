-- One consistent look at a match.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string)
-- ARGV  1 the last change seen, 2 the first turn wanted
-- Returns, while it goes on: the number of the change if it is that one still, otherwise its fields and the turns from
-- there on. When it is over: its record. Or nothing.
local change = redis.call('HGET', KEYS[1], 'change')
if not change then return redis.call('GET', KEYS[3]) end
if change == ARGV[1] then return tonumber(change) end
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], ARGV[2], -1)}
