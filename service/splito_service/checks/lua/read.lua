-- Reads a check.
--
-- KEYS  1 the claim (string), 2 the check (hash)
-- Returns the id of the check that has the claim, the check and its report.
return {redis.call('GET', KEYS[1]), unpack(redis.call('HMGET', KEYS[2], 'check', 'report'))}
