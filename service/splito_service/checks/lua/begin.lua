-- Stores a new check, unless another check of the bot runs.
--
-- KEYS  1 the claim (string), 2 the ids of the bot's checks (list), 3 the new check (hash)
-- ARGV  1 id of the check, 2 the check, 3 lease in milliseconds, 4 seconds that a check is kept, 5 maximum of checks
-- Returns the running check: the new one, or the one that ran before.
local other = redis.call('GET', KEYS[1])
if other then return redis.call('HGET', KEYS[2] .. ':' .. other, 'check') end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('HSET', KEYS[3], 'check', ARGV[2])
redis.call('EXPIRE', KEYS[3], ARGV[4])
redis.call('LPUSH', KEYS[2], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[4])
for _, id in ipairs(redis.call('LRANGE', KEYS[2], ARGV[5], -1)) do redis.call('DEL', KEYS[2] .. ':' .. id) end
redis.call('LTRIM', KEYS[2], 0, ARGV[5] - 1)
return ARGV[2]
