-- Leaves the queue, whatever the key holds. A reservation for us is passed on, and so is a notification without one:
-- not every layout has reservations, nor do they last. Those that waited only because we were ahead of them are told.
-- luacheck: read globals SHARED_HOLDER

local call = redis.call

return function(lock, kind)
  if kind.leave then
    kind.leave(lock)
    return 0
  end
  local holder = redis.pcall('GET', lock.key)
  local has_left = require('queue.leave')(lock.queue, lock.place, 'r' .. lock.place)
  if lock.inbox then pcall(require('queue.undefer'), lock.key, lock.inbox) end
  if holder == lock.reservation then
    call('DEL', lock.key)
    require('queue.offer')(lock.key, lock.queue)
  elseif not holder then
    require('queue.offer')(lock.key, lock.queue, true)
  elseif has_left or holder == SHARED_HOLDER then
    require('queue.let_in')(lock.key, lock.queue, holder)
  end
  return 0
end
