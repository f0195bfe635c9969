-- Seals one seat's decision and, if it is the last one of the turn, reveals the turn. All or nothing, in one call.
--
-- KEYS  1 the match (hash), 2 its turns (list), 3 its events (stream)
-- ARGV  1 the match's id, 2 turn, 3 seat, 4 what is sealed, 5... the seats that act in that turn
-- Returns a word, the turn that goes on afterwards, and the revealed turn if it was revealed by this call.
--
-- Who acts in a turn follows from the turns before it, so every caller passes the same seats.
local match, turns, events = KEYS[1], KEYS[2], KEYS[3]
local id, turn, seat, sealed = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local now = tonumber(redis.call('HGET', match, 'turn'))
if not now then return {'unknown', -1} end
if turn > now then return {'early', now} end
if turn < now then
  local past = cjson.decode(redis.call('LINDEX', turns, turn))
  return {past[seat] == sealed and 'same' or 'late', now}
end

local before = redis.call('HGET', match, 'seat:' .. seat)
if before then return {before == sealed and 'same' or 'taken', now} end
redis.call('HSET', match, 'seat:' .. seat, sealed)

local fields, revealed = {}, {}
for i = 5, #ARGV do fields[#fields + 1] = 'seat:' .. ARGV[i] end
local all = redis.call('HMGET', match, unpack(fields))
for i = 1, #fields do
  if not all[i] then return {'sealed', now} end
  revealed[i] = '"' .. ARGV[i + 4] .. '":' .. cjson.encode(all[i])
end

local entry = '{' .. table.concat(revealed, ',') .. '}'
redis.call('RPUSH', turns, entry)
redis.call('HDEL', match, unpack(fields))
redis.call('HSET', match, 'turn', now + 1)
redis.call('XADD', events, '*', 'turn', now, 'moves', entry)
redis.call('PUBLISH', 'matches', id)
return {'revealed', now + 1, entry}
