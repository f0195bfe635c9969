-- Appends an action to the log, and stores or lifts a ban in the same step.
--
-- KEYS  1 the log (sorted set of ids), 2 the action (string), 3 the bans (hash)
-- ARGV  1 id of the action, 2 the action, 3 maximum of actions, 4 the banned owner or bot, or empty, 5 its ban, or empty to
--       lift it, 6 maximum of bans
-- Returns 1; 0 if the log is full, -1 if there are too many bans, -2 if there is no such ban to lift.
local log, action, bans = unpack(KEYS)
if redis.call('ZCARD', log) >= tonumber(ARGV[3]) then return 0 end
if ARGV[4] ~= '' then
  local known = redis.call('HEXISTS', bans, ARGV[4]) == 1
  if ARGV[5] == '' then
    if not known then return -2 end
    redis.call('HDEL', bans, ARGV[4])
  else
    if not known and redis.call('HLEN', bans) >= tonumber(ARGV[6]) then return -1 end
    redis.call('HSET', bans, ARGV[4], ARGV[5])
  end
end
redis.call('SET', action, ARGV[2])
redis.call('ZADD', log, 0, ARGV[1])
return 1
