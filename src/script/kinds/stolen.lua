-- A plain mutex that is taken from whoever holds it: from an owner, from readers, or from one whose
-- turn it is. All of them find the key of another when they look next. Data that is no lock stays, and so
-- does a lock in another layout: whoever keeps to that would not understand the key.

local lock_key = require('lib.lock_key')
local call = redis.call

local function is_ours(lock)
  return call('GET', lock.key) == lock.owner
end

local function take(lock)
  local holder = call('GET', lock.key)
  local refusal = lock_key.refuse(holder, lock.key)
  if require('lib.foreign').is_foreign(refusal) then return refusal, true end
  local left = holder == lock.owner and call('PTTL', lock.key) or 0
  call('SET', lock.key, lock.owner, 'PX', math.max(lock.ttl, left))
end

local function drop(lock)
  call('DEL', lock.key)
end

return { is_ours = is_ours, take = take, drop = drop }
