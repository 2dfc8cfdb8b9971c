-- What the lock key holds, and what is said of it.
-- luacheck: read globals OWN_FIELDS FIRST_SECONDS FIRST_MS END_MS TIMESTAMP_MARGIN_MS

-- The layout in which a number is a timestamp.
local function unit_of(text)
  local value = string.find(text, '^%d+%.?%d*$') and tonumber(text) or 0
  if value < FIRST_SECONDS or value >= END_MS then return end
  return value < FIRST_MS and 'timestamp-seconds' or 'timestamp'
end

-- Ours has an expiry, and says so much more than that.
local function is_our_timestamp(text, pttl)
  local unit = unit_of(text)
  if not unit then return false end
  local time, is_seconds = call('TIME'), unit == 'timestamp-seconds'
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local more = tonumber(text) * (is_seconds and 1000 or 1) - now - pttl - TIMESTAMP_MARGIN_MS
  return more >= -2 and more <= (is_seconds and 1002 or 2)
end

local function is_redisson(of)
  local size = try('HLEN', of)
  local fields = type(size) == 'number' and size <= 1000 and try('HGETALL', of) or {}
  for n = 1, #fields, 2 do
    if string.find(fields[n], '^%x+%-%x+%-%x+%-%x+%-%x+:%d+$') then return true end
    if string.find(fields[n], OWN_FIELDS, 1, true) == 1 then return true end
  end
  return false
end

-- What stands there: a lock in another layout, or somebody's data. at: which name of a set it is.
local function foreign(of, at)
  local found, pttl = try('TYPE', of).ok or 'data of another type', try('PTTL', of)
  local has_expiry = type(pttl) == 'number' and pttl >= 0
  if found == 'string' then
    found = unit_of(call('GET', of)) or has_expiry and 'redlock' or 'string without expiry'
  elseif found == 'hash' and has_expiry and is_redisson(of) then
    found = 'redisson'
  end
  return 'T' .. found .. (at and at > 1 and '@' .. at or '')
end

local function refuse(holder, of, at)
  if not holder then return 'F' end
  local pttl = call('PTTL', of or key)
  if pttl < 0 or is_our_timestamp(holder, pttl) then return foreign(of or key, at) end
  if holder == 'shared:' then return 'S' .. pttl end
  return 'H' .. pttl .. ':' .. (string.sub(holder, 23, 23) == ':' and string.sub(holder, 24) or '')
end

-- Never shortens.
local function retime()
  if tonumber(ttl) > call('PTTL', key) then call('PEXPIRE', key, ttl) end
end
