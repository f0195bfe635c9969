-- Replaces a hook if its document is still the one that the caller read, and updates the indexes that follow from it.
--
-- KEYS  1 the hook (string), 2 the waiting deliveries (sorted set), 3 the claim (hash), 4 the due hooks and 5 the unproved
--       hooks (sorted sets), 6... for each event the subscribed hooks (sets)
-- ARGV  1 id of the hook, 2 the document that was read, 3 the new document, 4 1 if it is enabled and proved,
--       5 milliseconds until it is deleted if it is not proved, empty if it is, 6... for each event 1 if it is subscribed
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
for i = 6, #KEYS do redis.call(ARGV[i] == '1' and 'SADD' or 'SREM', KEYS[i], ARGV[1]) end
if ARGV[5] == '' then
  redis.call('ZREM', KEYS[5], ARGV[1])
else
  redis.call('ZADD', KEYS[5], 'NX', milliseconds() + ARGV[5], ARGV[1])
end
if ARGV[4] == '0' then
  redis.call('ZREM', KEYS[4], ARGV[1])
  redis.call('DEL', KEYS[3])
else
  local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if first[1] then redis.call('ZADD', KEYS[4], 'NX', first[2], ARGV[1]) end
end
return 1
