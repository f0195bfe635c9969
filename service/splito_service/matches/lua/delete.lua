-- Removes a match, unless it has changed since the caller read it.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string), 4... the sorted sets that its id may be in
-- ARGV  1 id of the match, 2 number of the last change that the caller read; empty if the match is over or gone
-- Returns 1 if the match is removed, else 0.
local change = redis.call('HGET', KEYS[1], 'change') or ''
if change ~= ARGV[2] then return 0 end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
for i = 4, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
