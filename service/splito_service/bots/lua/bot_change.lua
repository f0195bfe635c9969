-- Changes a bot, unless it has changed since the caller read it.
--
-- KEYS  1 the bot (string), 2 what is due (sorted set)
-- ARGV  1 its id, 2 the bot as it was seen, 3 as it shall be, 4 whether it is to be looked at
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
if ARGV[4] == '1' then redis.call('ZADD', KEYS[2], 'NX', 0, ARGV[1]) else redis.call('ZREM', KEYS[2], ARGV[1]) end
return 1
