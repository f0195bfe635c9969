-- Renews the claims that the token still has.
--
-- KEYS  1 the open blocks (sorted set), 2 the claims and 3 the tables (hashes)
-- ARGV  1 id of the tournament, 2 the token, 3 lease in milliseconds, 4... the blocks
-- Returns the blocks that the token still has.
local open, claims, tables, lasting = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[3])
local now, ours = milliseconds(), {}
for i = 4, #ARGV do
  local block = ARGV[i]
  if redis.call('HGET', claims, block) == ARGV[2] then
    redis.call('ZADD', open, now + lasting, block)
    lease(bots_at(tables, block), ARGV[1] .. '/' .. block, now, lasting)
    ours[#ours + 1] = block
  end
end
return ours
