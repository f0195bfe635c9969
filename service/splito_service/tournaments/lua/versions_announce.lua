-- Announces the versions that a worker has installed; forgets old announcements.
--
-- KEYS  1 the announcements (sorted set: versions as JSON, by the time of the last announcement)
-- ARGV  1 milliseconds for which an announcement is valid, 2 the versions to announce, or empty
-- Returns all valid announcements.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[2] ~= '' then redis.call('ZADD', KEYS[1], now, ARGV[2]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('ZRANGE', KEYS[1], 0, -1)
