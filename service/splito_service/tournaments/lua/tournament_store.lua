-- Function of the scripts that create a tournament; this file is put before each of them.
--
-- keys  1 the tournament (string), 2 all of its kind (sorted set), 3 the running ones and 4 the owner's unfinished ones
--       (sets), 5 the schedule (sorted set)
-- words 1 id of the tournament, 2 the document, 3 1 if it runs, 4 maximum of unfinished ones of an owner, or 0 for no
--       limit, 5 time at which something is due, or empty
-- Returns 1 if the tournament is stored, 0 if its owner has no room for it.
local function store_tournament(keys, words)
  local most = tonumber(words[4])
  if redis.call('EXISTS', keys[1]) == 1 then return 1 end
  if most > 0 and redis.call('SCARD', keys[4]) >= most then return 0 end
  redis.call('SET', keys[1], words[2])
  redis.call('ZADD', keys[2], 0, words[1])
  if words[3] == '1' then redis.call('SADD', keys[3], words[1]) end
  if most > 0 then redis.call('SADD', keys[4], words[1]) end
  if words[5] ~= '' then redis.call('ZADD', keys[5], words[5], words[1]) end
  redis.call('PUBLISH', 'matches', words[1])
  return 1
end
