-- Returns a page of the log of a bot, newest first.
--
-- KEYS  1 the log (sorted set)
-- ARGV  1 id of the row before which the page begins, or empty, 2 length of the page, 3 length of a row id
-- Returns for each row its id, the id of the ask, and its subject and outcome.
local latest, found = ARGV[1] == '' and '+' or '(' .. ARGV[1], {}
for _, row in ipairs(redis.call('ZRANGE', KEYS[1], latest, '-', 'BYLEX', 'REV', 'LIMIT', 0, ARGV[2])) do
  local id, ask = string.sub(row, 1, ARGV[3]), string.sub(row, ARGV[3] + 2)
  found[#found + 1] = {id, ask, redis.call('HGET', KEYS[1] .. ':' .. ask, 'row')}
end
return found
