-- Stores a new owner if there is room.
--
-- KEYS  1 the owner (string), 2 all owners, by the last use of a key (sorted set)
-- ARGV  1 id of the owner, 2 the owner, 3 maximum number of owners, or 0 for no limit
-- Returns 1 if the owner was stored, else 0.
if tonumber(ARGV[3]) > 0 and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], milliseconds(), ARGV[1])
return 1
