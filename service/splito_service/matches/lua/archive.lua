-- Puts the record in the place of a match that is over. Whoever comes second finds nothing left to do.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string), 4 what is due (sorted set),
--       5 the running matches and 6 those that are over, 7 all that go on by the time they were made and 8 all that are over
--       by the time they ended (sorted sets)
-- ARGV  1 the match's id, 2 how many turns there were, 3 the record
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
