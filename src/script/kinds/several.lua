-- Several names at once, all or none: the lock key of each holds the same ownerId, so the set and an exclusive lock
-- on one of its names exclude each other. Its keys are the lock keys of all names.

local companion = require('lib.companion')
local lock_key = require('lib.lock_key')
local foreign = require('lib.foreign')
local call, try = redis.call, redis.pcall

-- replaced: of an acquire, the owners of locks on single names that become part of it
local function prepare(lock, k_end, a_end)
  lock.lock_keys, lock.queues, lock.replaced = { lock.key }, { lock.queue }, {}
  for k = lock.k, k_end do
    local n = #lock.lock_keys + 1
    lock.lock_keys[n], lock.queues[n] = KEYS[k], companion('queue', KEYS[k])
  end
  for a = lock.a, a_end do lock.replaced[ARGV[a]] = true end
end

-- A table where it is no string. A refusal to look does not mean that the key is missing, or another's.
local function holder_of(key)
  local holder = try('GET', key)
  if type(holder) == 'table' and not string.find(holder.err, 'WRONGTYPE', 1, true) then error(holder, 0) end
  return holder
end

local function is_ours(lock)
  for _, key in ipairs(lock.lock_keys) do
    if holder_of(key) ~= lock.owner then return false end
  end
  return true
end

-- A remaining part of it blocks nobody: it can be healed.
local function blocker(lock)
  for at, key in ipairs(lock.lock_keys) do
    local holder = holder_of(key)
    if type(holder) == 'table' then return foreign.refusal(key, at) end
    if holder and holder ~= lock.owner then return lock_key.refuse(holder, key, at) end
  end
  return 'free'
end

-- All of it that is ours, however much. Waiters for the first name are notified afterwards.
local function drop(lock)
  for at, key in ipairs(lock.lock_keys) do
    if holder_of(key) == lock.owner then
      call('DEL', key)
      if at > 1 then pcall(require('queue.offer'), key, lock.queues[at]) end
    end
  end
end

local function retime(lock)
  for _, key in ipairs(lock.lock_keys) do
    require('lib.retime')(key, lock.owner, lock.ttl)
  end
end

-- The refusal because of the first name that is held. All nodes name the same then: by the rest of their keys' lives
-- each would choose its own, and several holders of a node each look like a split.
local function refusal_of(lock)
  local first
  for at, key in ipairs(lock.lock_keys) do
    local holder = holder_of(key)
    if type(holder) == 'table' then return foreign.refusal(key, at) end
    if holder and holder ~= lock.owner and not lock.replaced[holder] then
      local refused = lock_key.refuse(holder, key, at)
      if foreign.is_foreign(refused) then return refused end
      first = first or 'name ' .. at .. ' ' .. refused
    end
  end
  return first
end

local function put(lock)
  for _, key in ipairs(lock.lock_keys) do
    local left = call('GET', key) == lock.owner and call('PTTL', key) or 0
    call('SET', key, lock.owner, 'PX', math.max(lock.ttl, left))
  end
end

local function take(lock)
  local refusal = refusal_of(lock)
  if refusal then return refusal end
  local ok, reason = pcall(put, lock)
  if ok then return end
  pcall(drop, lock)
  error(reason, 0)
end

return {
  prepare = prepare,
  is_ours = is_ours,
  blocker = blocker,
  drop = drop,
  retime = retime,
  take = take,
  drop_rest = drop,
}
