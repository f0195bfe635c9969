-- Returns a page of the log of a hook, newest first.
--
-- KEYS  1 the log (sorted set)  ARGV  1 the id before which the page begins, or empty, 2 length of the page
-- Returns for each delivery its id and its fields.
local latest, found = ARGV[1] == '' and '+' or '(' .. ARGV[1], {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], latest, '-', 'BYLEX', 'REV', 'LIMIT', 0, ARGV[2])) do
  found[#found + 1] = {id, redis.call('HGETALL', KEYS[1] .. ':' .. id)}
end
return found
