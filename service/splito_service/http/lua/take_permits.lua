-- Takes a lot of permits from the quota of a client.
--
-- KEYS  1 what was taken in this minute  ARGV  1 the quota, 2 the lot wanted, 3 seconds to keep the count
-- Returns how many permits are given, and how many are left for others.
local taken = tonumber(redis.call('GET', KEYS[1]) or 0)
local given = math.max(0, math.min(ARGV[2], ARGV[1] - taken))
if given > 0 then
  redis.call('INCRBY', KEYS[1], given)
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
return {given, ARGV[1] - taken - given}
