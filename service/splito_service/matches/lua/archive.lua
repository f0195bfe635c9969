-- Replaces a match that is over by its record. A second call changes nothing.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string), 4 the due matches (sorted set),
--       5 the running and 6 the finished matches, 7 all live matches by creation time and 8 all finished matches by end
--       (sorted sets)
-- ARGV  1 id of the match, 2 number of turns, 3 the record
if redis.call('HGET', KEYS[1], 'turn') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[3], ARGV[3])
keep_for(KEYS[3], OVER)
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[4], ARGV[1])
if redis.call('ZREM', KEYS[5], ARGV[1]) == 1 then redis.call('ZADD', KEYS[6], 0, ARGV[1]) end
redis.call('ZREM', KEYS[7], ARGV[1])
redis.call('ZADD', KEYS[8], milliseconds(), ARGV[1])
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
