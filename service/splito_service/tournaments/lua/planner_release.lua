-- Ends the claim of the process that plans the next round.
--
-- KEYS  1 the token of the planner (string)  ARGV  1 the token of the caller
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
