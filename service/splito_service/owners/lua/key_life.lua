-- Sets the expiry of a key from now. `lasting` is its lifetime in milliseconds without use, `ends` the time at which it ends
-- in any case; 0 means never.
local function keep_key(key, lasting, ends)
  lasting, ends = tonumber(lasting), tonumber(ends)
  local left = ends > 0 and math.max(ends - milliseconds(), 1) or nil
  if lasting > 0 then left = left and math.min(lasting, left) or lasting end
  if left then redis.call('PEXPIRE', key, left) else redis.call('PERSIST', key) end
end
