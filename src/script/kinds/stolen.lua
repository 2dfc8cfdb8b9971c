-- A plain mutex that is taken from whoever holds it: from an owner, from readers, or from one whose
-- turn it is. All of them find the key of another when they look next. Data that is no lock stays.

local lock_key = require('lib.lock_key')
local call = redis.call

local function is_ours(lock)
  return call('GET', lock.key) == lock.owner
end

local function take(lock)
  local holder = call('GET', lock.key)
  local left = holder and call('PTTL', lock.key) or 0
  if left < 0 then return lock_key.refuse(holder, lock.key), true end
  call('SET', lock.key, lock.owner, 'PX', holder == lock.owner and math.max(lock.ttl, left) or lock.ttl)
end

local function drop(lock)
  call('DEL', lock.key)
end

return { is_ours = is_ours, take = take, drop = drop }
