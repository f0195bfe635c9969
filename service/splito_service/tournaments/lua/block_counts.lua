-- Returns the progress of a tournament.
--
-- KEYS  1 the open blocks (sorted set), 2 the tally (hash)
-- Returns the number of finished blocks, skipped blocks, games, open blocks and claimed blocks.
local done, skipped, games, ahead = unpack(redis.call('HMGET', KEYS[2], 'done', 'skipped', 'games', 'ahead'))
local open, claimed = redis.call('ZCARD', KEYS[1]), redis.call('ZCOUNT', KEYS[1], '(' .. milliseconds(), '+inf')
return {tonumber(done or 0), tonumber(skipped or 0), tonumber(games or 0), open + (ahead or 0), claimed}
