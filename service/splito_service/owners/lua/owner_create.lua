-- A new owner, if there is room.
--
-- KEYS  1 the owner (string), 2 all owners, by the last use of a key (sorted set)
-- ARGV  1 the owner's id, 2 the owner, 3 how many at most, or 0 for any number
-- Returns whether there was.
if tonumber(ARGV[3]) > 0 and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], milliseconds(), ARGV[1])
return 1
