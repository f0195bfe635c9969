-- A new match, which begins at once if no seat is open. MOST is how many may be open or running, or 0 for any number.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 what is due (sorted set), 4 the list it is shown in (sorted set),
--       5 all matches that are open or running, by the time they were made (sorted set)
-- ARGV  1 the match's id, 2 whether it is listed, 3 the client that creates it, 4 how many matches among bots alone this
--       client may have running, or 0 if that does not matter here, 5... its fields and their values
-- Returns the time; nothing if there are too many matches; -1 if the client has too many among bots alone.
if MOST > 0 and redis.call('ZCARD', KEYS[5]) >= MOST then return false end
local most = tonumber(ARGV[4])
if most > 0 then
  local set = bot_matches(ARGV[3])
  if redis.call('SCARD', set) >= most and count_running(set) >= most then return -1 end
  redis.call('SADD', set, ARGV[1])
  keep_for(set, IDLE)
end
local fields = {}
for i = 5, #ARGV do fields[#fields + 1] = ARGV[i] end
local now = milliseconds()
redis.call('HSET', KEYS[1], 'turn', -1, 'change', 0, 'seated', now, unpack(fields))
redis.call('ZADD', KEYS[5], now, ARGV[1])
keep_for(KEYS[1], OPEN_IDLE)
if ARGV[2] == '1' then redis.call('ZADD', KEYS[4], 0, ARGV[1]) end
if redis.call('HGET', KEYS[1], 'open') == '0' then begin_turn(KEYS[1], KEYS[2], KEYS[3], ARGV[1], 0, now) end
return now
