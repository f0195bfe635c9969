-- A new match, which begins at once if no seat is open. MOST is how many may be open or running, or 0 for any number.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 what is due (sorted set), 4 the list it is shown in (sorted set),
--       5 all matches that are open or running, by the time they were made (sorted set)
-- ARGV  1 the match's id, 2 whether it is listed, 3... its fields and their values
-- Returns the time; nothing if there are too many matches.
if MOST > 0 and redis.call('ZCARD', KEYS[5]) >= MOST then return false end
local fields = {}
for i = 3, #ARGV do fields[#fields + 1] = ARGV[i] end
local now = milliseconds()
redis.call('HSET', KEYS[1], 'turn', -1, 'change', 0, 'seated', now, unpack(fields))
redis.call('ZADD', KEYS[5], now, ARGV[1])
keep_for(KEYS[1], OPEN_IDLE)
if ARGV[2] == '1' then redis.call('ZADD', KEYS[4], 0, ARGV[1]) end
if redis.call('HGET', KEYS[1], 'open') == '0' then begin_turn(KEYS[1], KEYS[2], KEYS[3], ARGV[1], 0, now) end
return now
