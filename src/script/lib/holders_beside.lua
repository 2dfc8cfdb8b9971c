-- The holders of a name, each with the instant of the node's clock at which it ends, ms; and the signs by which
-- others can tell by their own clocks whether a holder is no longer renewed.
--
-- Such a sign is the beginning of the ownerId, which is a secret as a whole, and its end: each renewal changes it. It
-- begins with how long the name is kept after that, or with more after an extension, see lib/longer_extension.lua.
-- Servers before Redis 7 do not report when a key ends. There it is computed from the remaining ttl, to within a few
-- ms, and renewals move it by more than that.
-- luacheck: read globals MAX_SIGNS OWN_FIELDS OWNER_PREFIX PERMITS_HOLDER RENEWED_BY_MS RESERVATION SHARED_HOLDER
-- luacheck: read globals SHOWN_OWNER SIGN_INEXACT_MS

local companion = require('lib.companion')
local now_ms = require('lib.clock')
local call = redis.call

local function begins_with(text, start)
  return string.find(text, start, 1, true) == 1
end

local function members_of(key, from, most)
  local all, found = call('ZRANGE', key, from, from + most - 1, 'WITHSCORES'), {}
  for at = 1, #all, 2 do
    if not string.find(all[at], '^%d+:' .. RESERVATION) then found[#found + 1] = { all[at], tonumber(all[at + 1]) } end
  end
  return found, #all / 2
end

local function holds_of(key)
  local all, found = call('HGETALL', key), {}
  for at = 1, #all, 2 do
    local hold = string.match(all[at], '^' .. OWN_FIELDS .. 'hold:(.*)$')
    if hold then found[#found + 1] = { hold, tonumber(all[at + 1]) } end
  end
  return found
end

-- The kind whose holders are next to a lock key with that value; nothing where the key names its only holder, or for
-- whom it is reserved. Its file has, for whatever lock of it is there:
--   expire(key, holder, texts)  ends those of the holders
--   let_in(key, queue, holder)  optional: tells those that waited only because of a place ahead of them, which is gone
local function kind_at(holder)
  if holder == SHARED_HOLDER then return 'shared' end
  if begins_with(holder, PERMITS_HOLDER) then return 'permit' end
  if begins_with(holder, OWNER_PREFIX) then return 'owned' end
end

-- The holders next to a lock key with that value: the text of each (of a permit, after its number) and its end.
-- Includes those that have ended. With a limit, only that many of a sorted set: those that end first, or those behind
-- the first so many; and how many were read. Not asked of the kinds: creating their functions for every refusal would
-- make it a tenth slower.
local function beside(key, holder, most, from)
  local kind = kind_at(holder)
  if kind == 'shared' then return members_of(companion('readers', key), from or 0, most or 0) end
  if kind == 'permit' then return members_of(companion('permits', key), from or 0, most or 0) end
  return kind == 'owned' and holds_of(companion('holds', key)) or {}
end

-- When a key ends, and whether that is exact; undefined without permission to ask.
local function end_of(key)
  local ends = redis.pcall('PEXPIRETIME', key)
  if type(ends) == 'number' then return ends, true end
  if not string.find(ends.err, 'nknown') then return end
  -- Reads the time again: the remaining ttl counts from now, not from the start of the call.
  local time, left = call('TIME'), call('PTTL', key)
  return left < 0 and left or tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + left, false
end

-- Of a holder of that lock key. Undefined where the text is not of an owner that says how long its name is kept.
local function sign_of(key, text, ends, is_exact)
  local shown = string.match(string.match(text, '^%d+:(.*)$') or text, SHOWN_OWNER)
  if not shown then return end
  local kept = require('lib.longer_extension').shown(key, shown)
  return kept .. '@' .. (is_exact and '' or '~') .. string.format('%.0f', ends)
end

local function sign_of_key(key, holder)
  local ends, is_exact = end_of(key)
  return ends and ends >= 0 and sign_of(key, holder, ends, is_exact)
end

-- The permits of one holder have one sign. Others are looked for behind them, but not for long.
local function signs_beside(key, holder)
  local all, is_told, at_once = {}, {}, 2 * MAX_SIGNS
  for part = 0, MAX_SIGNS - 1 do
    local found, count = beside(key, holder, at_once, part * at_once)
    local is_repeated = false
    for _, member in ipairs(found) do
      local hold = (string.match(member[1], '^%d+:(.*)$') or member[1]) .. '@' .. member[2]
      is_repeated = is_repeated or is_told[hold] ~= nil
      if member[2] >= now_ms() and #all < MAX_SIGNS and not is_told[hold] then
        is_told[hold] = true
        all[#all + 1] = sign_of(key, member[1], member[2], true)
      end
    end
    if not is_repeated or #all == MAX_SIGNS or count ~= at_once then break end
  end
  return table.concat(all, ';')
end

-- Of the holders of the name that have one, if they are few. Signs only shorten the wait.
local function signs(key, holder)
  local is_owner = string.find(holder, SHOWN_OWNER)
  local may_look, text = pcall(is_owner and sign_of_key or signs_beside, key, holder)
  return may_look and text or ''
end

-- Whether it matches a sign, to within the sign's error.
local function is_sign(sign, of)
  if sign == of then return true end
  local shown, ends = string.match(sign, '^(.*@)~(%d+)$')
  local other_shown, other_ends = string.match(of or '', '^(.*@)~(%d+)$')
  return shown ~= nil and shown == other_shown and math.abs(ends - other_ends) <= SIGN_INEXACT_MS
end

-- Never shortens; and where others rely on its sign, the sign always changes.
local function retime(key, owner, ttl)
  local left, is_signed = call('PTTL', key), string.find(owner, SHOWN_OWNER)
  if ttl >= left + (is_signed and RENEWED_BY_MS or 1) then
    call('PEXPIRE', key, ttl)
  elseif is_signed then
    call('PEXPIRE', key, left + RENEWED_BY_MS)
  end
end

return {
  kind_at = kind_at, beside = beside, sign_of = sign_of, sign_of_key = sign_of_key, signs = signs, is_sign = is_sign,
  retime = retime,
}
