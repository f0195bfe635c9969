-- Stores a new bot, unless its owner has as many as an owner may have.
--
-- KEYS  1 the bot (string), 2 all bots and 3 those of the owner (sorted sets)
-- ARGV  1 its id, 2 the bot, 3 how many at most
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('ZADD', KEYS[3], 0, ARGV[1])
return 1
