-- The refusal of an operation because of the value of a lock key.
-- luacheck: read globals MIN_REFRESH_MS OWNER_BEGINNING OWNER_PREFIX RESERVATION SHARED_HOLDER

local call = redis.call

-- The label of an ownerId; the rest is a secret, except for the number in front.
local function label_of(owner)
  local ends = #(string.match(owner, '^%d+~') or '') + 22
  local rest = string.sub(owner, ends + 1)
  return string.match(rest, '^:(.*)$') or string.match(rest, '^%.[%w_-]+:(.*)$') or ''
end

-- What others may see of an ownerId, to tell who holds the name; "" where the text is none.
local function beginning_of(owner)
  local id = string.match(owner, '^%d+~(.*)$') or owner
  return string.match(id .. ':', OWNER_BEGINNING) or ''
end

-- Of a name that is held for a named owner: the one hold's. Several are no single client.
local function beginning_of_holder(key, holder)
  if string.find(holder, OWNER_PREFIX, 1, true) ~= 1 then return beginning_of(holder) end
  local may_look, holds = pcall(require('lib.holders_beside').beside, key, holder)
  return may_look and #holds == 1 and beginning_of(holds[1][1]) or ''
end

-- beginning: that of the holder's ownerId; signs: see lib/signs.lua. Both default to none.
local function held(left, label, beginning, signs)
  return 'held ' .. string.format('%.0f', left) .. ' ' .. (beginning or '') .. ' ' .. (signs or '') .. ' ' .. label
end

-- How long a key with that value blocks others. A reserved name goes to a waiter that has been notified, and is
-- hardly ever free when the reservation ends: the next refresh of a place is early enough to find out.
local function blocked_ms(holder, pttl)
  local is_reserved = string.sub(holder, 1, #RESERVATION) == RESERVATION
  return is_reserved and pttl + MIN_REFRESH_MS or pttl
end

-- holder: the value of the key, if it exists. at: which name of a set it belongs to.
local function refuse(holder, key, at)
  if not holder then return 'free' end
  local pttl = call('PTTL', key)
  local is_number = string.find(holder, '^%d+%.?%d*$')
  if pttl < 0 or is_number and require('lib.timestamps').is_ours(holder, pttl) then
    return require('lib.foreign').refusal(key, at)
  end
  local signs = require('lib.signs').all_of(key, holder)
  if holder == SHARED_HOLDER then return 'shared ' .. pttl .. ' ' .. signs end
  return held(blocked_ms(holder, pttl), label_of(holder), beginning_of_holder(key, holder), signs)
end

-- The refusal because of the lock key's value, or "free".
local function held_by(lock, kind)
  if kind.held_by then return kind.held_by(lock) end
  return refuse(call('GET', lock.key), lock.key)
end

-- The refusal because of whatever blocks a lock, or "free".
local function blocker(lock, kind)
  if kind.blocker then return kind.blocker(lock) end
  return held_by(lock, kind)
end

return {
  label_of = label_of, beginning_of = beginning_of, held = held, blocked_ms = blocked_ms, refuse = refuse,
  held_by = held_by, blocker = blocker,
}
