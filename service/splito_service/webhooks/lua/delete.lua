-- Deletes a hook and all its deliveries.
--
-- KEYS  1 the hook (string), 2 the waiting deliveries and 3 the log (sorted sets), 4 the claim (hash), 5 the number of
--       dropped events (string), 6 the due hooks, 7 the hooks of the owner and 8 the unproved hooks (sorted sets), 9... the
--       subscribed hooks of each event (sets)
-- ARGV  1 id of the hook, 2 the document that the caller read, or empty to delete the hook in any state
if ARGV[2] ~= '' and redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
for i = 2, 3 do
  for _, id in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do redis.call('DEL', KEYS[3] .. ':' .. id) end
end
for i = 1, 5 do redis.call('DEL', KEYS[i]) end
for i = 6, 8 do redis.call('ZREM', KEYS[i], ARGV[1]) end
for i = 9, #KEYS do redis.call('SREM', KEYS[i], ARGV[1]) end
return 1
