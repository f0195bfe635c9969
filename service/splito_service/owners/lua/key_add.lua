-- Adds a key to an owner if the owner has room for it. Expired keys make room.
--
-- KEYS  1 the key (string), 2 the ids of the owner's keys (sorted set)
-- ARGV  1 id of the key, 2 the key, 3 maximum number of keys, 4 lifetime without use and 5 the time at which it ends, or 0
-- Returns 1 if the key was added, else 0.
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if redis.call('EXISTS', 'key:' .. id) == 0 then redis.call('ZREM', KEYS[2], id) end
  end
end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
keep_key(KEYS[1], ARGV[4], ARGV[5])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
