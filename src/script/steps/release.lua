-- Releases a lock, lifts the fence whoever holds the name, and offers the name to the first waiter.

local call = redis.call

-- Whether the waiter that it puts into the queue has the name by now: another lock ended first, which it was behind.
local function is_granted_already(lock)
  local owner = string.match(lock.deferred or '', '^%d+ %d+ (.+)$')
  return owner and redis.pcall('GET', lock.key) == owner
end

-- Drops the key before the fence is lifted: a node that is out of memory refuses the latter. Waiting only saves time:
-- its errors do not affect the release.
return function(lock, kind)
  local is_ours, is_free = kind.is_ours(lock), false
  if is_ours then is_free = kind.drop(lock) elseif kind.drop_rest then kind.drop_rest(lock) end
  if lock.kept then pcall(require('lib.longer_extension').forget, lock) end
  if lock.value and is_ours then pcall(require('lib.value').forget, lock.key) end
  local observed = require('lib.lift')(lock, lock.token)
  if kind.lifted then pcall(kind.lifted, lock, lock.token) end
  -- Its place may go on with a waiter of another kind, or with none.
  if lock.place and (lock.ticket == 0 or not string.match(lock.place, '^%d')) then
    pcall(require('queue.withdraw'), lock, is_free)
  end
  if lock.place and lock.ticket > 0 and (is_free or not is_granted_already(lock)) then
    pcall(require('queue.enter'), lock.key, lock.queue, lock.ticket, lock.place, lock.deferred, is_free)
  end
  if is_ours and kind.pass_on then pcall(kind.pass_on, lock) end
  local refusal = not is_ours and require('lib.lock_key').held_by(lock, kind)
  -- Without a reservation, only the client that dropped the key notifies: otherwise a process could wake itself at
  -- the speed of the network.
  local may_tell = is_ours or not lock.reserves_nothing
  if may_tell and (is_free or call('EXISTS', lock.key) == 0) then
    pcall(require('queue.offer'), lock.key, lock.queue, lock.reserves_nothing, lock)
  end
  if is_ours and observed ~= '' then pcall(require('lib.tell_observers'), lock) end
  return refusal or 0
end
