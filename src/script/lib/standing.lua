-- Who holds a name, each with the instant of the node's clock at which it ends, ms; and what others are told of
-- them, so that they can tell by clocks of their own whether one is not renewed any more.
--
-- Such a sign is how the ownerId begins, which is a secret as a whole, and when it ends: each renewal makes it another.
-- Servers before Redis 7 do not say when a key ends. There it is worked out from what is left of it, to within a few
-- ms, and renewals move it by more than that.
-- luacheck: read globals MAX_SIGNS OWN_FIELDS OWNER_PREFIX PERMITS_HOLDER RENEWED_BY_MS RESERVATION SHARED_HOLDER
-- luacheck: read globals SHOWN_OWNER SIGN_INEXACT_MS

local companion = require('lib.companion')
local now_ms = require('lib.clock')
local call = redis.call

local function begins_with(text, start)
  return string.find(text, start, 1, true) == 1
end

local function members_of(key, most)
  local all, found = call('ZRANGE', key, 0, most - 1, 'WITHSCORES'), {}
  for at = 1, #all, 2 do
    if not string.find(all[at], '^%d+:' .. RESERVATION) then found[#found + 1] = { all[at], tonumber(all[at + 1]) } end
  end
  return found
end

local function holds_of(key)
  local all, found = call('HGETALL', key), {}
  for at = 1, #all, 2 do
    local hold = string.match(all[at], '^' .. OWN_FIELDS .. 'hold:(.*)$')
    if hold then found[#found + 1] = { hold, tonumber(all[at + 1]) } end
  end
  return found
end

-- Who stands beside a lock key that holds that: the text of each (of a permit behind its number) and its end. Also
-- those that have ended. Of a sorted set at most so many, if it is said: those that end first.
local function beside(key, holder, most)
  if holder == SHARED_HOLDER then return members_of(companion('readers', key), most or 0) end
  if begins_with(holder, PERMITS_HOLDER) then return members_of(companion('slots', key), most or 0) end
  if begins_with(holder, OWNER_PREFIX) then return holds_of(companion('holds', key)) end
  return {}
end

-- When a key ends, and whether that is exact; undefined where we may not ask.
local function end_of(key)
  local ends = redis.pcall('PEXPIRETIME', key)
  if type(ends) == 'number' then return ends, true end
  if not string.find(ends.err, 'nknown') then return end
  -- The time anew: what is left counts from now, not from when the call began.
  local time, left = call('TIME'), call('PTTL', key)
  return left < 0 and left or tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + left, false
end

-- Undefined where the text is not of an owner that says for how long its name is kept.
local function sign_of(text, ends, is_exact)
  local shown = string.match(string.match(text, '^%d+:(.*)$') or text, SHOWN_OWNER)
  return shown and shown .. '@' .. (is_exact and '' or '~') .. string.format('%.0f', ends)
end

local function sign_of_key(key, holder)
  local ends, is_exact = end_of(key)
  return ends and ends >= 0 and sign_of(holder, ends, is_exact)
end

local function signs_beside(key, holder)
  local all = {}
  for _, member in ipairs(beside(key, holder, 2 * MAX_SIGNS)) do
    if member[2] >= now_ms() and #all < MAX_SIGNS then all[#all + 1] = sign_of(member[1], member[2], true) end
  end
  return table.concat(all, ';')
end

-- Of those that hold the name, as far as they have one and are few. Waiting for less is all that they are for.
local function signs(key, holder)
  local is_owner = string.find(holder, SHOWN_OWNER)
  local may_look, text = pcall(is_owner and sign_of_key or signs_beside, key, holder)
  return may_look and text or ''
end

-- Whether it is what a sign said: to within what it may be wrong by.
local function is_sign(sign, of)
  if sign == of then return true end
  local shown, ends = string.match(sign, '^(.*@)~(%d+)$')
  local other_shown, other_ends = string.match(of or '', '^(.*@)~(%d+)$')
  return shown ~= nil and shown == other_shown and math.abs(ends - other_ends) <= SIGN_INEXACT_MS
end

-- Never shortens; and where others go by its sign, it always gets another.
local function retime(key, owner, ttl)
  local left, is_signed = call('PTTL', key), string.find(owner, SHOWN_OWNER)
  if ttl >= left + (is_signed and RENEWED_BY_MS or 1) then
    call('PEXPIRE', key, ttl)
  elseif is_signed then
    call('PEXPIRE', key, left + RENEWED_BY_MS)
  end
end

return {
  beside = beside, sign_of = sign_of, sign_of_key = sign_of_key, signs = signs, is_sign = is_sign, retime = retime,
}
