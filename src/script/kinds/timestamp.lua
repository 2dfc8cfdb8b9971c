-- The lock key says when the lock ends, as hand-written code stores it (SETNX, then GETSET after that instant), by
-- the node's clock, plus a margin after our lock has really ended: other clients read it by their own clocks. For the
-- same reason their locks are considered over somewhat later than they say.
--
-- Our key has an expiry, which distinguishes it from a key with the same timestamp that another client has put in its
-- place: SET and GETSET remove the expiry. The owner is stored next to it, with its own timestamp. Nothing is
-- reserved in the lock key, which other clients read as a number.
-- luacheck: read globals TIMESTAMP_MARGIN_MS

local companion = require('lib.companion')
local foreign = require('lib.foreign')
local lock_key = require('lib.lock_key')
local now_ms = require('lib.clock')
local timestamps = require('lib.timestamps')
local call = redis.call

local function prepare(lock)
  lock.owner_key, lock.layout = companion('stamp', lock.key), ARGV[lock.a]
  lock.reserves_nothing = true
  lock.unit_ms = lock.layout == 'timestamp' and 1 or 1000
end

-- The timestamp and the owner of a lock of ours.
local function stamp_of(lock)
  return string.match(call('GET', lock.owner_key) or '', '^(%d+) (.*)$')
end

-- The owner of the lock, if it is one of ours.
local function owner_of(lock, holder)
  local stamp, owner = stamp_of(lock)
  return stamp == holder and call('PTTL', lock.key) >= 0 and owner or nil
end

local function put(lock)
  local ends = now_ms() + lock.ttl + TIMESTAMP_MARGIN_MS
  local stamp = string.format('%.0f', math.ceil(ends / lock.unit_ms))
  call('SET', lock.owner_key, stamp .. ' ' .. lock.owner, 'PX', lock.ttl)
  call('SET', lock.key, stamp, 'PX', lock.ttl)
end

local function held_by(lock)
  local kind = call('TYPE', lock.key).ok
  if kind == 'none' then return 'free' end
  local holder = kind == 'string' and call('GET', lock.key)
  if not holder or timestamps.layout_of(holder) ~= lock.layout then return foreign.refusal(lock.key) end
  local left = math.ceil(tonumber(holder) * lock.unit_ms + TIMESTAMP_MARGIN_MS - now_ms())
  if left <= 0 then return 'free' end
  -- A key with an expiry exists for the whole of its last millisecond.
  local pttl = call('PTTL', lock.key)
  if pttl >= 0 and pttl < left then left = pttl end
  local owner = owner_of(lock, holder) or ''
  return lock_key.held(left, lock_key.label_of(owner), lock_key.beginning_of(owner))
end

local function is_ours(lock)
  if call('TYPE', lock.key).ok ~= 'string' then return false end
  local holder = call('GET', lock.key)
  return holder and owner_of(lock, holder) == lock.owner or false
end

local function retime(lock)
  if lock.ttl > call('PTTL', lock.key) then put(lock) end
end

local function take(lock)
  if is_ours(lock) then return retime(lock) end
  local refusal = held_by(lock)
  if refusal ~= 'free' then return refusal, foreign.is_foreign(refusal) end
  put(lock)
end

local function drop(lock)
  call('DEL', lock.key, lock.owner_key)
end

-- Another client's timestamp is stored there: it must not be removed.
local function drop_rest(lock)
  local _, owner = stamp_of(lock)
  if owner == lock.owner then call('DEL', lock.owner_key) end
end

return {
  prepare = prepare,
  held_by = held_by,
  is_ours = is_ours,
  retime = retime,
  take = take,
  drop = drop,
  drop_rest = drop_rest,
}
