-- Stores a new match, which begins at once if no seat is open. MOST limits the open and running matches; 0 is no limit.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 the due matches (sorted set), 4 the list that shows it (sorted set),
--       5 all open or running matches by creation time (sorted set)
-- ARGV  1 id of the match, 2 1 if it is listed, 3 the client that creates it, 4 maximum of running matches among bots alone
--       of this client, or 0 for no limit, 5... its fields and their values
-- Returns the time; nil if there are too many matches; -1 if the client has too many among bots alone.
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
