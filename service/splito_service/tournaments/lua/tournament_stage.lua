-- Writes some tables of the next round, before `tournament_plan` makes them valid. A plan that begins later takes over.
--
-- KEYS  1 the tournament (string), 2 its tables and 3 the plan that is being written (hashes)
-- ARGV  1 the document that was read, 2 token of the plan, 3 number of its tables, 4 the round, 5 1 if the plan
--       begins, 6... each table and its bots
-- Returns the number of tables that an abandoned plan may have left; -1 if another plan has taken over, -2 if the tournament
-- has changed.
local tournament, tables, plan = unpack(KEYS)
if redis.call('GET', tournament) ~= ARGV[1] then return -2 end
if ARGV[5] == '1' then
  local before = tonumber(redis.call('HGET', plan, 'most') or 0)
  redis.call('HSET', plan, 'token', ARGV[2], 'most', math.max(before, ARGV[3]))
elseif redis.call('HGET', plan, 'token') ~= ARGV[2] then
  return -1
end
if #ARGV > 5 then redis.call('HSET', tables, unpack(ARGV, 6)) end
return tonumber(redis.call('HGET', plan, 'most'))
