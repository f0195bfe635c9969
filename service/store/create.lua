-- A new match, which begins at once if no seat is open.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 what is due (sorted set), 4 the list it is shown in (sorted set)
-- ARGV  1 the match's id, 2 whether it is listed, 3... its fields and their values
local fields = {}
for i = 3, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], 'turn', -1, 'change', 0, unpack(fields))
redis.call('EXPIRE', KEYS[1], IDLE)
if ARGV[2] == '1' then redis.call('ZADD', KEYS[4], 0, ARGV[1]) end
local now = milliseconds()
if redis.call('HGET', KEYS[1], 'open') == '0' then begin_turn(KEYS[1], KEYS[2], KEYS[3], ARGV[1], 0, now) end
return now
