-- Holds of one owner, which may acquire again, even from another process. A hash has the owner as a field, with the
-- number of its holds, and for each hold the instant (ms, the node's clock) at which that one ends. So a repeated
-- release, or a hold of a crashed process, affects only itself. The count is computed from the holds at every step.
--
-- The hash is a separate key, and the lock key names its owner, so that it excludes every exclusive lock. With a
-- channel (Redisson's layout) the lock key is the hash; Redisson ignores our fields, and what its owner's field
-- counts beyond our holds was added by Redisson. In that layout nothing is reserved in the lock key: Redisson would
-- fail on it. And the values that we write next to the count are not numbers: a read-write lock of Redisson takes
-- each number in the hash for a count of readers, and decrements it.
--
-- Such a lock can enter a name of ours without looking. From then on the key is no longer ours: ttl and key are left
-- to the clients that entered, and our release removes only our own fields.
--
-- The first hold of a tenure stores its fence, and later ones get the same: all of them write with one token, as long
-- as the nodes agree on it. A node whose counter passed the token when the hold drew its fence there agrees once it
-- receives the token, provided that it has issued that fence to no other hold and no other owner's counter was above
-- the token before.
-- luacheck: read globals NO_NUMBER OWN_FIELDS OWNER_PREFIX

local companion = require('lib.companion')
local lock_key = require('lib.lock_key')
local now_ms = require('lib.clock')
local call, try = redis.call, redis.pcall

local HOLD, FENCE, DRAWN = OWN_FIELDS .. 'hold:', OWN_FIELDS .. 'fence', OWN_FIELDS .. 'drawn'

local function prepare(lock, _, a_end)
  local name, channel, again = unpack(ARGV, lock.a, a_end)
  lock.channel, lock.must_be_in = channel, again ~= ''
  lock.is_redisson = channel ~= ''
  lock.name = name ~= '' and name or lock.owner
  lock.marker, lock.hold = OWNER_PREFIX .. lock.name, HOLD .. lock.owner
  lock.holds = lock.is_redisson and lock.key or companion('holds', lock.key)
  local kind = lock.is_redisson and call('TYPE', lock.key).ok
  lock.is_foreign = kind and kind ~= 'none' and kind ~= 'hash'
  local mode = kind == 'hash' and call('HGET', lock.key, 'mode')
  lock.is_entered = mode == 'read' or mode == 'write'
  lock.mark = lock.is_redisson and NO_NUMBER or ''
  lock.reserves_nothing = lock.is_redisson
end

-- The part after the mark.
local function digits_in(text)
  return text and string.match(text, '%d+$') or nil
end

local function is_in(lock)
  if lock.is_foreign or lock.is_entered then return false end
  if lock.is_redisson then return call('HGET', lock.key, lock.name) and true end
  return call('GET', lock.key) == lock.marker
end

-- Undefined where our hold, or the tenure, has ended.
local function ends_at(lock)
  local ends = is_in(lock) and tonumber(digits_in(call('HGET', lock.holds, lock.hold)))
  return ends and ends >= now_ms() and ends or nil
end

-- Stores our hold with that end, or removes it, and removes those that have ended. Returns how many are left, when
-- the last one ends, and how many Redisson has added beyond ours.
local function count(lock, ends)
  local fields = call('HGETALL', lock.holds)
  local counted, known, live, last = 0, 0, 0, 0
  if ends then
    call('HSET', lock.holds, lock.hold, lock.mark .. ends)
    live, last = 1, ends
  end
  for n = 1, #fields, 2 do
    local field, at = fields[n], tonumber(digits_in(fields[n + 1]))
    if field == lock.name then
      counted = at or 0
    elseif string.find(field, HOLD, 1, true) == 1 then
      known = known + 1
      if field ~= lock.hold and at >= now_ms() then
        live, last = live + 1, math.max(last, at)
      elseif field ~= lock.hold or not ends then
        call('HDEL', lock.holds, field)
      end
    end
  end
  return live, last, lock.is_redisson and math.max(0, counted - known) or 0
end

-- Recounts, with our hold until that instant, or without it. After the last hold nothing is left.
local function settle(lock, ends)
  local live, last, others = count(lock, ends)
  if live + others == 0 then
    call('DEL', lock.key, lock.holds)
    if lock.is_redisson then try('PUBLISH', lock.channel, '0') end
    return
  end
  call('HSET', lock.holds, lock.name, live + others)
  local left = last - now_ms()
  if not lock.is_redisson then
    call('SET', lock.key, lock.marker, 'PX', math.max(1, left))
    call('PEXPIRE', lock.holds, math.max(1, left))
  elseif others == 0 or left > call('PTTL', lock.key) then
    call('PEXPIRE', lock.key, math.max(1, left))
  end
end

-- Foreign data may be a large hash: it is not read as a whole.
local function refuse_hash(lock)
  local foreign = require('lib.foreign')
  if lock.is_foreign then return foreign.refusal(lock.key) end
  if call('EXISTS', lock.key) == 0 then return 'free' end
  local left, label = call('PTTL', lock.key), ''
  if left < 0 then return foreign.refusal_as('hash without expiry') end
  local fields = call('HLEN', lock.key) <= 1000 and call('HGETALL', lock.key) or {}
  local is_there, holds = {}, {}
  for n = 1, #fields, 2 do
    local is_own = string.find(fields[n], OWN_FIELDS, 1, true) == 1
    if not is_own and not tonumber(fields[n + 1]) then return foreign.refusal_as('hash') end
    is_there[fields[n]] = true
    if string.find(fields[n], HOLD, 1, true) == 1 then holds[#holds + 1] = string.sub(fields[n], #HOLD + 1) end
  end
  for n = 1, #fields, 2 do
    local field = fields[n]
    if string.find(field, OWN_FIELDS, 1, true) ~= 1 then
      -- An owner without a name has its ownerId, which is a secret except for its label.
      label = is_there[HOLD .. field] and lock_key.label_of(field) or field
    end
  end
  return lock_key.held(left, label, #holds == 1 and lock_key.beginning_of(holds[1]) or '')
end

local function is_ours(lock)
  return ends_at(lock) ~= nil
end

local function retime(lock)
  settle(lock, math.max((ends_at(lock) or 0) + 1, now_ms() + lock.ttl))
end

local function held_by(lock)
  if lock.is_redisson then return refuse_hash(lock) end
  return lock_key.refuse(call('GET', lock.key), lock.key)
end

local function take(lock, is_acquire)
  if not is_in(lock) then
    local is_reserved = not lock.is_redisson and lock.place and call('GET', lock.key) == lock.reservation
    local refusal = is_reserved and 'free' or held_by(lock)
    if refusal ~= 'free' then return refusal, require('lib.foreign').is_foreign(refusal) end
    if is_acquire and lock.must_be_in then return 'free' end
    lock.is_first = true
  end
  local ends = math.max(not lock.is_first and ends_at(lock) or 0, now_ms() + lock.ttl)
  if lock.is_first and not lock.is_redisson then
    -- Left over from an earlier tenure. Only after the first command that allocates memory: a node without memory
    -- refuses nothing after that.
    call('SET', lock.key, lock.marker, 'PX', lock.ttl)
    call('DEL', lock.holds)
  end
  settle(lock, ends)
end

local function same_fence(lock, draw)
  local fence = not lock.is_first and digits_in(call('HGET', lock.holds, FENCE))
  if fence then
    call('HDEL', lock.holds, DRAWN)
    return fence
  end
  local before = require('lib.fences').last(lock) or '0'
  fence = draw(lock)
  call('HSET', lock.holds, FENCE, lock.mark .. fence, DRAWN, before .. ':' .. lock.owner)
  return fence
end

-- Another hold of the owner has brought the token to this node.
local function is_sealed(lock, token)
  return digits_in(call('HGET', lock.holds, FENCE)) == token
end

-- Whether our hold drew the fence here, no other hold has got it since, and the token is between the previous counter
-- and the fence.
local function is_drawn_for(lock, token, fence)
  local before, drawer = string.match(call('HGET', lock.holds, DRAWN) or '', '^(%d+):(.*)$')
  if drawer ~= lock.owner or not fence then return false end
  return tonumber(before) <= tonumber(token) and tonumber(token) < tonumber(fence)
end

-- The fence is exactly our token: no other owner has counted since. Or our hold drew a fence here that is above the
-- token. Expired holds are no longer counted.
local function lifted(lock, token)
  if token == '' or not is_in(lock) then return end
  local fence = require('lib.fences').last(lock)
  if fence ~= token and not is_drawn_for(lock, token, fence) then return end
  settle(lock, ends_at(lock))
  if is_in(lock) then
    call('HSET', lock.holds, FENCE, lock.mark .. token)
    call('HDEL', lock.holds, DRAWN)
  end
end

local function drop(lock)
  settle(lock, nil)
end

-- Removes only our own fields from among those of other clients. The last one to leave deletes the key.
local function leave_entered(lock)
  if call('HDEL', lock.key, lock.hold) == 0 then return end
  local others = (tonumber(call('HGET', lock.key, lock.name)) or 0) - 1
  if others > 0 then call('HSET', lock.key, lock.name, others) else call('HDEL', lock.key, lock.name) end
  local fields, is_held = call('HGETALL', lock.key), false
  for n = 1, #fields, 2 do
    if string.find(fields[n], HOLD, 1, true) == 1 then is_held = true end
  end
  if not is_held then call('HDEL', lock.key, FENCE, DRAWN) end
  if call('HLEN', lock.key) > 1 then return end
  call('DEL', lock.key)
  try('PUBLISH', lock.channel, '0')
end

-- Our hold has ended: it is no longer counted.
local function drop_rest(lock)
  if lock.is_entered then leave_entered(lock) elseif is_in(lock) then settle(lock, nil) end
end

local function expire(key, marker, owners)
  local name = string.sub(marker, #OWNER_PREFIX + 1)
  for _, owner in ipairs(owners) do
    drop({ key = key, marker = marker, name = name, holds = companion('holds', key), hold = HOLD .. owner, mark = '' })
  end
end

return {
  prepare = prepare,
  is_ours = is_ours,
  retime = retime,
  held_by = held_by,
  take = take,
  same_fence = same_fence,
  is_sealed = is_sealed,
  lifted = lifted,
  drop = drop,
  drop_rest = drop_rest,
  expire = expire,
}
