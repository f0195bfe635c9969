-- Removes a bot.
--
-- KEYS  1 the bot (string), 2... the sorted sets that its id is in  ARGV  1 its id
for i = 2, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
return redis.call('DEL', KEYS[1])
