-- Creates the next tournament of a series and moves the series on, unless it has changed since it was read.
--
-- KEYS  1 to 5 as in `store_tournament`, 6 the series (string), 7 all series, 8 those that are due and 9 those that have
--       ended (sorted sets), 10 the owner's series (set)
-- ARGV  1 to 5 as in `store_tournament`, 6 id of the series, 7 the document that was read, 8 the new document, 9 time at
--       which the next tournament is created and 10 time of its end, or empty
-- Returns 1; 0 if the series has changed, -1 if its owner has no room for a further tournament.
if redis.call('GET', KEYS[6]) ~= ARGV[7] then return 0 end
if store_tournament(KEYS, ARGV) == 0 then return -1 end
redis.call('SET', KEYS[6], ARGV[8])
for i = 8, 9 do
  if ARGV[i + 1] == '' then redis.call('ZREM', KEYS[i], ARGV[6]) else redis.call('ZADD', KEYS[i], ARGV[i + 1], ARGV[6]) end
end
return 1
