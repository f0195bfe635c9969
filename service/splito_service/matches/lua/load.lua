-- Reads a match consistently.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string)
-- ARGV  1 number of the last change that the caller knows, 2 first turn to return
-- Returns for a live match the number of the change if it is still that one, otherwise its fields and the turns from
-- there on; for a finished match its record; nil if there is no such match.
local change = redis.call('HGET', KEYS[1], 'change')
if not change then return redis.call('GET', KEYS[3]) end
if change == ARGV[1] then return tonumber(change) end
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], ARGV[2], -1)}
