-- An exclusive lock that is taken from whoever holds it: from an owner, from readers, or from a process with a
-- reservation. All of them find another key at their next step. Foreign data stays, and so does a lock in another
-- layout: its clients would not understand the key.

local lock_key = require('lib.lock_key')
local call = redis.call

local function is_ours(lock)
  return call('GET', lock.key) == lock.owner
end

-- holder: the value that the lock key had. They find out at their next step as well, only later.
local function tell_holders(key, holder)
  local tell = require('lib.tell_holder')
  tell(holder)
  for _, member in ipairs(require('lib.holders_beside').beside(key, holder)) do tell(member[1]) end
end

local function take(lock)
  local holder = call('GET', lock.key)
  local refusal = lock_key.refuse(holder, lock.key)
  if require('lib.foreign').is_foreign(refusal) then return refusal, true end
  local left = holder == lock.owner and call('PTTL', lock.key) or 0
  call('SET', lock.key, lock.owner, 'PX', math.max(lock.ttl, left))
  if holder and holder ~= lock.owner then tell_holders(lock.key, holder) end
end

local function drop(lock)
  call('DEL', lock.key)
end

return { is_ours = is_ours, take = take, drop = drop }
