-- Changes a hook, if nobody has changed it since it was seen, and what follows from its state.
--
-- KEYS  1 the hook (string), 2 what waits (sorted set), 3 the claim (hash), 4 what is due and 5 the unproved hooks
--       (sorted sets), 6... of each event the hooks that want it (sets)
-- ARGV  1 its id, 2 the hook as it was seen, 3 as it shall be, 4 whether it is enabled and proved, 5 milliseconds until
--       it is deleted unless it proves itself, nothing if it is proved, 6... of each event whether it is told
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
