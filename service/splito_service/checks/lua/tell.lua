-- Stores the progress of a check and renews its claim.
--
-- KEYS  1 the claim (string), 2 the check (hash)  ARGV  1 id of the check, 2 the check, 3 lease in milliseconds
-- Returns 1 if the check still has the claim; otherwise 0, without a change.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[2], 'check', ARGV[2])
return 1
