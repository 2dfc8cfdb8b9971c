-- A key that holds a lock in another layout, or foreign data.
-- luacheck: read globals OWN_FIELDS

local call, try = redis.call, redis.pcall

-- at: the name of a set that the key belongs to; defaults to the first.
local function refusal_as(what, at)
  return 'foreign ' .. (at or 1) .. ' ' .. what
end

local function is_redisson(key)
  local size = try('HLEN', key)
  local fields = type(size) == 'number' and size <= 1000 and try('HGETALL', key) or {}
  for n = 1, #fields, 2 do
    if string.find(fields[n], '^%x+%-%x+%-%x+%-%x+%-%x+:%d+$') then return true end
    if string.find(fields[n], OWN_FIELDS, 1, true) == 1 then return true end
  end
  return false
end

-- Named by its lock layout, or by its type.
local function refusal(key, at)
  local found, pttl = try('TYPE', key).ok or 'data of another type', try('PTTL', key)
  local has_expiry = type(pttl) == 'number' and pttl >= 0
  if found == 'string' then
    local layout = require('lib.timestamps').layout_of(call('GET', key))
    found = layout or has_expiry and 'redlock' or 'string without expiry'
  elseif found == 'hash' and has_expiry and is_redisson(key) then
    found = 'redisson'
  end
  return refusal_as(found, at)
end

local function is_foreign(reply)
  return string.sub(reply, 1, 8) == 'foreign '
end

return { refusal = refusal, refusal_as = refusal_as, is_foreign = is_foreign }
