-- Stores a new series, or replaces one unless it has changed since it was read; and updates the lists.
--
-- KEYS  1 the series (string), 2 all series, 3 those that are due and 4 those that have ended (sorted sets), 5 the owner's
--       series (set)
-- ARGV  1 id of the series, 2 the document that was read, or empty for a new one, 3 the new document, 4 time at which
--       its next tournament is created and 5 time of its end, or empty, 6 maximum of series of an owner, or 0
-- Returns 1; 0 if the series has changed, -1 if its owner has too many.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[2] == '' and redis.call('SCARD', KEYS[5]) >= tonumber(ARGV[6]) then return -1 end
redis.call('SET', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('SADD', KEYS[5], ARGV[1])
for i = 3, 4 do
  if ARGV[i + 1] == '' then redis.call('ZREM', KEYS[i], ARGV[1]) else redis.call('ZADD', KEYS[i], ARGV[i + 1], ARGV[1]) end
end
return 1
