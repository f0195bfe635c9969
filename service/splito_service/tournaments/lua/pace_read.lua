-- Returns the last finished blocks.
--
-- KEYS  1 the last blocks by the time of their end (sorted set)
-- Returns the time, and each block with the time of its end.
local time = redis.call('TIME')
return {time[1] * 1000 + math.floor(time[2] / 1000), redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')}
