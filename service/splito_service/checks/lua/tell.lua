-- Stores the progress of a check and renews its claim.
--
-- KEYS  1 the claim (string), 2 the check (hash)  ARGV  1 its id, 2 what is known of it, 3 the lease
-- Returns whether it still has the claim; if not, nothing is changed.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[2], 'check', ARGV[2])
return 1
