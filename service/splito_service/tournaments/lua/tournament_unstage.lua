-- Removes tables that an abandoned plan has left, in small steps.
--
-- KEYS  1 the tables and 2 the plan that is being written (hashes)
-- ARGV  1 token of the plan, 2 number of tables that remain, 3... the tables to remove
-- Returns 1 if the plan is still the caller's, else 0.
if redis.call('HGET', KEYS[2], 'token') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], unpack(ARGV, 3))
redis.call('HSET', KEYS[2], 'most', ARGV[2])
return 1
