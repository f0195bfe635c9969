-- Ends the claim of the process that plans the next round.
--
-- KEYS  1 who plans (string)  ARGV  1 the token
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
