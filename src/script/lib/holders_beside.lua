-- The holders of a name next to its lock key, each with the instant of the node's clock at which it ends, ms; and their
-- signs, see lib/signs.lua.
-- luacheck: read globals MAX_SIGNS OWN_FIELDS OWNER_PREFIX PERMITS_HOLDER RESERVATION SHARED_HOLDER SIGN_INEXACT_MS

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

-- The permits of one holder have one sign. Others are looked for behind them, but not for long.
local function signs(key, holder)
  local all, is_told, at_once = {}, {}, 2 * MAX_SIGNS
  for part = 0, MAX_SIGNS - 1 do
    local found, count = beside(key, holder, at_once, part * at_once)
    local is_repeated = false
    for _, member in ipairs(found) do
      local hold = (string.match(member[1], '^%d+:(.*)$') or member[1]) .. '@' .. member[2]
      is_repeated = is_repeated or is_told[hold] ~= nil
      if member[2] >= now_ms() and #all < MAX_SIGNS and not is_told[hold] then
        is_told[hold] = true
        all[#all + 1] = require('lib.signs').of(key, member[1], member[2], true)
      end
    end
    if not is_repeated or #all == MAX_SIGNS or count ~= at_once then break end
  end
  return table.concat(all, ';')
end

-- Whether it matches a sign, to within the sign's error.
local function is_sign(sign, of)
  if sign == of then return true end
  local shown, ends = string.match(sign, '^(.*@)~(%d+)$')
  local other_shown, other_ends = string.match(of or '', '^(.*@)~(%d+)$')
  return shown ~= nil and shown == other_shown and math.abs(ends - other_ends) <= SIGN_INEXACT_MS
end

return { kind_at = kind_at, beside = beside, signs = signs, is_sign = is_sign }
