-- Changes a bot, unless it has changed since the caller read it.
--
-- KEYS  1 the bot (string), 2 the bots that are due for a health check (sorted set)
-- ARGV  1 id of the bot, 2 the document that was read, 3 the new document, 4 1 if the bot gets health checks
-- Returns 1 if the bot is changed, else 0.
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
if ARGV[4] == '1' then redis.call('ZADD', KEYS[2], 'NX', 0, ARGV[1]) else redis.call('ZREM', KEYS[2], ARGV[1]) end
return 1
