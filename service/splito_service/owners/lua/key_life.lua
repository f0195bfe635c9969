-- Keeps a key for a while from now on. `lasting` is for how many milliseconds it is kept without use, and `ends` the time at
-- which it ends anyway; 0 stands for never.
local function keep_key(key, lasting, ends)
  lasting, ends = tonumber(lasting), tonumber(ends)
  local left = ends > 0 and math.max(ends - milliseconds(), 1) or nil
  if lasting > 0 then left = left and math.min(lasting, left) or lasting end
  if left then redis.call('PEXPIRE', key, left) else redis.call('PERSIST', key) end
end
