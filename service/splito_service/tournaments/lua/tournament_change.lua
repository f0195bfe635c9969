-- Changes a tournament, unless it has changed meanwhile. With its end, the blocks that no worker plays are removed.
--
-- KEYS  1 the tournament (string), 2 those that run and 3 those of its owner that are not over (sets), 4 the open blocks
--       (sorted set), 5 the tally (hash), 6 all that are over, by the time they ended (sorted set), 7... what only a
--       tournament that is not over needs
-- ARGV  1 its id, 2 the tournament as it was seen, 3 as it shall be, 4 whether it runs, 5 whether it is over
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
redis.call(ARGV[4] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[1])
if ARGV[5] == '1' then
  redis.call('SREM', KEYS[3], ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', milliseconds())
  redis.call('ZADD', KEYS[6], 'NX', milliseconds(), ARGV[1])
  redis.call('HDEL', KEYS[5], 'ahead')
  for i = 7, #KEYS do redis.call('UNLINK', KEYS[i]) end
end
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
