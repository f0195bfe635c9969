-- Stores the ratings after some blocks, unless another rater has rated in between. The next rater may begin in any case.
--
-- KEYS  1 the rater and 2 the number of rated blocks (strings), 3 the queue and 4 the log (lists), 5 the ratings, 6 the
--       faults and 7 the latest versions (hashes)
-- ARGV  1 token of the rater, 2 number of rated blocks before, 3 length of the log, then four lists as JSON: 4 the
--       blocks, 5 versions and their ratings, 6 versions and their new faults, 7 bots and their latest versions
-- Returns 1 if the ratings were stored, else 0, and the number of waiting blocks.
local rater, count, queue, log, ratings, faults, latest = unpack(KEYS)
if redis.call('GET', rater) == ARGV[1] then redis.call('DEL', rater) end
if tonumber(redis.call('GET', count) or 0) ~= tonumber(ARGV[2]) then return {0, redis.call('LLEN', queue)} end

local blocks, rated = cjson.decode(ARGV[4]), cjson.decode(ARGV[5])
local more, versions = cjson.decode(ARGV[6]), cjson.decode(ARGV[7])
for i = 1, #rated, 2 do redis.call('HSET', ratings, rated[i], rated[i + 1]) end
for i = 1, #more, 2 do redis.call('HINCRBY', faults, more[i], more[i + 1]) end
for i = 1, #versions, 2 do redis.call('HSET', latest, versions[i], versions[i + 1]) end
for _, block in ipairs(blocks) do redis.call('RPUSH', log, block) end
redis.call('LTRIM', queue, #blocks, -1)
redis.call('LTRIM', log, -ARGV[3], -1)
redis.call('INCRBY', count, #blocks)
return {1, redis.call('LLEN', queue)}
