-- Claims open blocks, in order, whose bots all have a slot left.
--
-- KEYS  1 the running tournaments (set), 2 the open blocks (sorted set), 3 the claims and 4 the tables (hashes), 5 the
--       ranges of blocks that are not open (sorted set), 6 the rounds and 7 the tally (hashes)
-- ARGV  1 id of the tournament, 2 the token, 3 maximum of blocks, 4 lease in milliseconds, 5 number of blocks that are
--       looked at in one place, 6 a random number from 0 to 1, 7 number of free blocks with which no more are opened,
--       8... each bot and its number of slots
-- Returns the claimed blocks.
local running, open, claims, tables, waves, rounds, tally = unpack(KEYS)
local id, token, most, lasting, looks = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if redis.call('SISMEMBER', running, id) == 0 then return {} end

local now, slots, left, claimed = milliseconds(), {}, {}, {}
for i = 8, #ARGV, 2 do slots[ARGV[i]] = tonumber(ARGV[i + 1]) end

for _, block in ipairs(redis.call('ZRANGE', open, '(0', now, 'BYSCORE', 'LIMIT', 0, looks)) do
  redis.call('ZADD', open, 0, block)
  redis.call('HDEL', claims, block)
end

local function has_slot(bot)
  if not slots[bot] then return true end
  if not left[bot] then
    redis.call('ZREMRANGEBYSCORE', 'leases:' .. bot, '-inf', now)
    left[bot] = slots[bot] - redis.call('ZCARD', 'leases:' .. bot)
  end
  return left[bot] > 0
end

local function all_have_slots(bots)
  for _, bot in ipairs(bots) do
    if not has_slot(bot) then return false end
  end
  return true
end

local function take(block, bots)
  redis.call('ZADD', open, now + lasting, block)
  redis.call('HSET', claims, block, token)
  lease(bots, id .. '/' .. block, now, lasting)
  for _, bot in ipairs(bots) do left[bot] = left[bot] and left[bot] - 1 end
  claimed[#claimed + 1] = block
end

local function look(first, free)
  if first >= free then return end
  local names, blocks = {}, redis.call('ZRANGE', open, first, math.min(first + looks, free) - 1)
  for i, block in ipairs(blocks) do names[i] = table_of(block) end
  for i, bots in ipairs(redis.call('HMGET', tables, unpack(names))) do
    if #claimed == most then return end
    bots = cjson.decode(bots)
    if all_have_slots(bots) then take(blocks[i], bots) end
  end
end

-- Looks at the first blocks; if too few of them can be played, at blocks that were not open yet, or at random blocks,
-- because these need not wait for the busy bots of the first ones.
local free = redis.call('ZCOUNT', open, 0, 0)
look(0, free)
if #claimed < most then
  local passed = math.min(looks, free) - #claimed
  if free < tonumber(ARGV[7]) then open_waves(open, waves, rounds, tally, looks) end
  free = redis.call('ZCOUNT', open, 0, 0)
  look(passed + math.floor(ARGV[6] * math.max(0, free - passed - looks)), free)
end
return claimed
