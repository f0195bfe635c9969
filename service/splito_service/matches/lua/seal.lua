-- Seals the decision of one seat and, if it is the last one of the turn, reveals the turn. All or nothing, in one call.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 the due matches (sorted set)
-- ARGV  1 id of the match, 2 turn, 3 seat, 4 number of the sitting, or empty if the server itself decides,
--       5 the decision, 6 the account of the registered bot that decides, or empty, 7... the seats that act in that
--       turn
-- Returns a status word and the current turn afterwards; for a new decision also the number of the change, the time and
-- the rest of the seat's bank; and if this call revealed the turn, the turn.
--
-- The acting seats of a turn follow from the turns before it, so every caller passes the same seats.
local match, turns = KEYS[1], KEYS[2]
local id, turn, seat, sitting, sealed = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]

local found = redis.call('HMGET', match, 'turn', 'seat:' .. seat, 'sitting:' .. seat, 'began', 'clock', 'limit',
  'bank:' .. seat)
local now, before, sits, began, clock, limit, bank = unpack(found)
if not now then return {'unknown', 0} end
now = tonumber(now)
if sitting ~= '' and sits ~= sitting then return {'gone', now} end
if turn > now then return {'early', now} end
if turn < now then
  local past = cjson.decode(redis.call('LINDEX', turns, turn))
  return {past[seat] == sealed and 'same' or 'late', now}
end
if before then return {before == sealed and 'same' or 'taken', now} end

local time, left = milliseconds(), 0
if clock ~= 'off' then
  left = (clock == 'bank' and bank or limit) - (time - began)
  if left < 0 and sitting ~= '' then return {'expired', now} end
  left = math.max(left, 0)
  if clock == 'bank' then redis.call('HSET', match, 'bank:' .. seat, left) end
end
local change = redis.call('HINCRBY', match, 'change', 1)
redis.call('HSET', match, 'seat:' .. seat, sealed)
if ARGV[6] ~= '' then redis.call('HSET', match, 'bot:' .. seat, ARGV[6]) end

local fields, revealed = {}, {}
for i = 7, #ARGV do fields[#fields + 1] = 'seat:' .. ARGV[i] end
local all = redis.call('HMGET', match, unpack(fields))
for i = 1, #fields do
  if not all[i] then return {'sealed', now, change, time, left} end
  revealed[i] = '"' .. ARGV[i + 6] .. '":' .. cjson.encode(all[i])
end

local entry = '{' .. table.concat(revealed, ',') .. '}'
redis.call('RPUSH', turns, entry)
redis.call('HDEL', match, unpack(fields))
begin_turn(match, turns, KEYS[3], id, now + 1, time)
redis.call('PUBLISH', 'matches', id)
return {'revealed', now + 1, change, time, left, entry}
