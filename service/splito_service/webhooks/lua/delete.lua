-- Deletes a hook with all its deliveries.
--
-- KEYS  1 the hook (string), 2 what waits and 3 the log (sorted sets), 4 the claim (hash), 5 how many were dropped
--       (string), 6 what is due, 7 the hooks of the owner and 8 those that are unproved (sorted sets), 9... the hooks
--       that want an event (sets)
-- ARGV  1 its id, 2 the hook as it was seen, or nothing: then it is deleted whatever it is now
if ARGV[2] ~= '' and redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
for i = 2, 3 do
  for _, id in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do redis.call('DEL', KEYS[3] .. ':' .. id) end
end
for i = 1, 5 do redis.call('DEL', KEYS[i]) end
for i = 6, 8 do redis.call('ZREM', KEYS[i], ARGV[1]) end
for i = 9, #KEYS do redis.call('SREM', KEYS[i], ARGV[1]) end
return 1
