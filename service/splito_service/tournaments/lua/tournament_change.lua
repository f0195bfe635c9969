-- Replaces a tournament, unless it has changed since it was read. At its end, the blocks that no worker plays are removed.
--
-- KEYS  1 the tournament (string), 2 the running tournaments and 3 the owner's unfinished ones (sets), 4 the open blocks
--       (sorted set), 5 the tally (hash), 6 all finished tournaments by the time of their end and 7 the schedule (sorted sets),
--       8... the keys that only an unfinished tournament needs
-- ARGV  1 id of the tournament, 2 the document that was read, 3 the new document, 4 1 if it runs, 5 1 if it is over,
--       6 time at which something is due, or empty
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
redis.call(ARGV[4] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[1])
if ARGV[6] == '' then redis.call('ZREM', KEYS[7], ARGV[1]) else redis.call('ZADD', KEYS[7], ARGV[6], ARGV[1]) end
if ARGV[5] == '1' then
  redis.call('SREM', KEYS[3], ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', milliseconds())
  redis.call('ZADD', KEYS[6], 'NX', milliseconds(), ARGV[1])
  redis.call('HDEL', KEYS[5], 'ahead')
  for i = 8, #KEYS do redis.call('UNLINK', KEYS[i]) end
end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
