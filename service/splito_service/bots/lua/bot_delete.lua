-- Removes a bot.
--
-- KEYS  1 the bot (string), 2... the sorted sets that contain its id  ARGV  1 id of the bot
for i = 2, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
return redis.call('DEL', KEYS[1])
