-- Puts the record in the place of a match that is over. Whoever comes second finds nothing left to do.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its record (string), 4 its events (stream)
-- ARGV  1 the match's id, 2 how many turns there were, 3 the record, 4 for how many seconds the events stay
if redis.call('HGET', KEYS[1], 'turn') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[3], ARGV[3])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('XADD', KEYS[4], '*', 'over', ARGV[2])
redis.call('EXPIRE', KEYS[4], ARGV[4])
redis.call('PUBLISH', 'matches', ARGV[1])
return 1
