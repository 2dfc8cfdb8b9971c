-- Stores the token of a lock that is stored here, if the fence is below it.

local fences = require('lib.fences')
local lock_key = require('lib.lock_key')

return function(lock, kind)
  if not kind.is_ours(lock) then return lock_key.blocker(lock, kind) end
  if not fences.is_behind(lock, lock.token) then
    return kind.is_sealed and kind.is_sealed(lock, lock.token) and lock.token or lock_key.held(0, '')
  end
  fences.store(lock, lock.token)
  if kind.lifted then kind.lifted(lock, lock.token) end
  pcall(require('lib.tell_observers'), lock)
  return lock.token
end
