-- Stores the report of a check and ends its claim.
--
-- KEYS  1 the claim (string), 2 the check (hash)  ARGV  1 id of the check, 2 the check, 3 its report, or empty
-- Returns 1 if the check had the claim; otherwise 0, without a change.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[2], 'check', ARGV[2])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], 'report', ARGV[3]) end
return 1
