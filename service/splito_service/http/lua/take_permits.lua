-- Takes permits from the quota of a client.
--
-- KEYS  1 number of permits taken in this minute (string)
-- ARGV  1 the quota, 2 number of permits wanted, 3 seconds that the count is kept
-- Returns the number of permits given, and the number that is left for other processes.
local taken = tonumber(redis.call('GET', KEYS[1]) or 0)
local given = math.max(0, math.min(ARGV[2], ARGV[1] - taken))
if given > 0 then
  redis.call('INCRBY', KEYS[1], given)
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
return {given, ARGV[1] - taken - given}
