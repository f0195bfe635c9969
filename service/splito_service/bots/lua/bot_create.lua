-- Stores a new bot if its owner has room for it.
--
-- KEYS  1 the bot (string), 2 all bots and 3 the bots of the owner (sorted sets)
-- ARGV  1 id of the bot, 2 the bot, 3 maximum of bots of an owner
-- Returns 1 if the bot is stored, else 0.
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('ZADD', KEYS[3], 0, ARGV[1])
return 1
