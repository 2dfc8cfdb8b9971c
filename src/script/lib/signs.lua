-- The signs by which others can tell by their own clocks whether a holder is no longer renewed.
--
-- Such a sign is the beginning of the ownerId, which is a secret as a whole, and its end: each renewal changes it. It
-- begins with how long the name is kept after that, or with more after an extension, see lib/longer_extension.lua.
-- Servers before Redis 7 do not report when a key ends. There it is computed from the remaining ttl, to within a few
-- ms, and renewals move it by more than that.
-- luacheck: read globals SHOWN_OWNER

local call = redis.call

-- When a key ends, and whether that is exact; undefined without permission to ask.
local function end_of(key)
  local ends = redis.pcall('PEXPIRETIME', key)
  if type(ends) == 'number' then return ends, true end
  if not string.find(ends.err, 'nknown') then return end
  -- Reads the time again: the remaining ttl counts from now, not from the start of the call.
  local time, left = call('TIME'), call('PTTL', key)
  return left < 0 and left or tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + left, false
end

-- What comes before the end. Undefined where the text is not of an owner that says how long its name is kept.
local function head_of(key, text)
  local shown = string.match(string.match(text, '^%d+:(.*)$') or text, SHOWN_OWNER)
  return shown and require('lib.longer_extension').shown(key, shown) .. '@'
end

-- Of a holder of that lock key.
local function of(key, text, ends, is_exact)
  local head = head_of(key, text)
  return head and head .. (is_exact and '' or '~') .. string.format('%.0f', ends)
end

-- Of the only holder, which the lock key names.
local function of_key(key, holder)
  local ends, is_exact = end_of(key)
  return ends and ends >= 0 and of(key, holder, ends, is_exact)
end

-- Of the holders of the name that have one, if they are few. Signs only shorten the wait.
local function all_of(key, holder)
  local is_owner = string.find(holder, SHOWN_OWNER)
  local may_look, text = pcall(is_owner and of_key or require('lib.holders_beside').signs, key, holder)
  return may_look and text or ''
end

-- Of the only holder, which the lock key names: what comes before the end, and the end, where the server says that
-- exactly. Otherwise the whole sign.
local function parts_of(key, holder)
  if not string.find(holder, SHOWN_OWNER) then return end
  local may_look, ends, is_exact = pcall(end_of, key)
  if not may_look or not ends or ends < 0 then return end
  if is_exact then return head_of(key, holder), ends end
  return of(key, holder, ends, is_exact)
end

return { parts_of = parts_of, of = of, of_key = of_key, all_of = all_of }
