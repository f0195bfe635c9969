-- A page of the log of a bot, the newest first.
--
-- KEYS  1 the log (sorted set)
-- ARGV  1 the id of the row before which to begin, or nothing, 2 how many at most, 3 how long such an id is
-- Returns of each row its id, that of the ask, what it was about and how it went.
local latest, found = ARGV[1] == '' and '+' or '(' .. ARGV[1], {}
for _, row in ipairs(redis.call('ZRANGE', KEYS[1], latest, '-', 'BYLEX', 'REV', 'LIMIT', 0, ARGV[2])) do
  local id, ask = string.sub(row, 1, ARGV[3]), string.sub(row, ARGV[3] + 2)
  found[#found + 1] = {id, ask, redis.call('HGET', KEYS[1] .. ':' .. ask, 'row')}
end
return found
