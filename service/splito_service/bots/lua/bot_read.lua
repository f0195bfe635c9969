-- Returns each of the bots that exists, followed by the ban of its owner or by its own ban, or else by an empty text.
--
-- KEYS  1 the bans (hash), 2... the bots (strings)
local found = {}
for i = 2, #KEYS do
  local raw = redis.call('GET', KEYS[i])
  if raw then
    local id, owner = string.match(raw, '^{"id":"([^"]*)","owner":"([^"]*)"')
    local bans = id and redis.call('HMGET', KEYS[1], 'owner:' .. owner, 'bot:' .. id) or {}
    found[#found + 1] = raw
    found[#found + 1] = bans[1] or bans[2] or ''
  end
end
return found
