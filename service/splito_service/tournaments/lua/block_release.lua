-- Releases the claims that the token still has.
--
-- KEYS  1 the open blocks (sorted set), 2 the claims and 3 the tables (hashes)
-- ARGV  1 id of the tournament, 2 the token, 3... the blocks
for i = 3, #ARGV do
  local block = ARGV[i]
  if redis.call('HGET', KEYS[2], block) == ARGV[2] then
    redis.call('ZADD', KEYS[1], 0, block)
    redis.call('HDEL', KEYS[2], block)
    give_back(bots_at(KEYS[3], block), ARGV[1] .. '/' .. block)
  end
end
