-- Counts the blocks that have been rated and those that wait.
--
-- KEYS  1 how many have been rated (string), 2 what waits (list)
return {tonumber(redis.call('GET', KEYS[1]) or 0), redis.call('LLEN', KEYS[2])}
