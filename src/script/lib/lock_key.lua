-- The refusal of an operation because of the value of a lock key.
-- luacheck: read globals MIN_REFRESH_MS RESERVATION SHARED_HOLDER

local call = redis.call

-- The label of an ownerId; the rest is a secret, except for the number in front.
local function label_of(owner)
  local ends = #(string.match(owner, '^%d+~') or '') + 22
  return string.sub(owner, ends + 1, ends + 1) == ':' and string.sub(owner, ends + 2) or ''
end

-- signs: see lib/standing.lua; defaults to none.
local function held(left, label, signs)
  return 'held ' .. string.format('%.0f', left) .. ' ' .. (signs or '') .. ' ' .. label
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
  local signs = require('lib.standing').signs(key, holder)
  if holder == SHARED_HOLDER then return 'shared ' .. pttl .. ' ' .. signs end
  return held(blocked_ms(holder, pttl), label_of(holder), signs)
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
  label_of = label_of, held = held, blocked_ms = blocked_ms, refuse = refuse, held_by = held_by, blocker = blocker,
}
