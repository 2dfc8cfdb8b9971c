-- The exclusive lock of one name: the lock key holds the ownerId. Its acquires are in exclusive_acquire.lua.

local call = redis.call

-- What its holder proclaims, with an extend or a heal; with a release, that it did.
local function prepare(lock, _, a_end)
  if a_end > lock.a then lock.number, lock.value = ARGV[lock.a], ARGV[lock.a + 1] end
end

local function is_ours(lock)
  return call('GET', lock.key) == lock.owner
end

local function retime(lock)
  require('lib.retime')(lock.key, lock.owner, lock.ttl)
end

local function drop(lock)
  call('DEL', lock.key)
  return true
end

-- Restores it.
local function take(lock)
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.reservation then return require('lib.lock_key').refuse(holder, lock.key) end
  call('SET', lock.key, lock.owner, 'PX', lock.ttl)
end

return { prepare = prepare, is_ours = is_ours, retime = retime, drop = drop, take = take }
