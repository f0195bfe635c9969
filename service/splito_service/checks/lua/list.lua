-- Reads all checks of a bot.
--
-- KEYS  1 the claim (string), 2 the ids of the bot's checks (list)
-- Returns the id of the check that has the claim, and the checks.
local found = {redis.call('GET', KEYS[1])}
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local check = redis.call('HGET', KEYS[2] .. ':' .. id, 'check')
  if check then table.insert(found, check) end
end
return found
