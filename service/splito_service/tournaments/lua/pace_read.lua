-- Reads the last blocks that ended.
--
-- KEYS  1 the last blocks (sorted set)
-- Returns the time, and the blocks with theirs.
local time = redis.call('TIME')
return {time[1] * 1000 + math.floor(time[2] / 1000), redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')}
