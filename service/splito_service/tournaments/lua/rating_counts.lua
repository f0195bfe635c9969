-- Returns the number of rated blocks and of waiting blocks.
--
-- KEYS  1 the number of rated blocks (string), 2 the queue of ratings (list)
return {tonumber(redis.call('GET', KEYS[1]) or 0), redis.call('LLEN', KEYS[2])}
