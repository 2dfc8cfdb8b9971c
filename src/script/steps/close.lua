-- A release of an exclusive lock that keeps the name closed: for ttl from now on, unless it would have ended earlier.
-- The next waiter is told that the key will be gone sooner than it knows.

local lock_key = require('lib.lock_key')
local call = redis.call

return function(lock, kind)
  local is_ours = kind.is_ours(lock)
  local left = is_ours and call('PTTL', lock.key)
  if left and (left < 0 or lock.ttl < left) then call('PEXPIRE', lock.key, lock.ttl) end
  require('lib.lift')(lock, lock.token)
  if lock.inbox then pcall(require('queue.withdraw'), lock) end
  pcall(require('queue.notify_next'), lock.key, lock.queue)
  return is_ours and 0 or lock_key.held_by(lock, kind)
end
