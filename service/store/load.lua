-- One consistent look at a match.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string)
-- ARGV  1 the first turn wanted
-- Returns, while it goes on: its fields and the turns from there on. When it is over: its record. Or nothing.
local fields = redis.call('HGETALL', KEYS[1])
if #fields > 0 then return {fields, redis.call('LRANGE', KEYS[2], ARGV[1], -1)} end
return redis.call('GET', KEYS[3])
