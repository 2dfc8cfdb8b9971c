-- Leaves the queue, whatever the key holds. A reservation for us is passed on, and so is a notification without one:
-- not every layout has reservations, nor do they last. Those that waited only because we were ahead of them are told.
-- luacheck: read globals SHARED_HOLDER

local offers = require('lib.offers')
local call = redis.call

return function(lock, kind)
  if kind.leave then
    kind.leave(lock)
    return 0
  end
  local holder = redis.pcall('GET', lock.key)
  local has_left = require('queue.leave')(lock.queue, lock.place, 'r' .. lock.place)
  if lock.inbox then pcall(require('queue.deferred').drop, lock.key, lock.inbox) end
  if holder == lock.reservation then
    call('DEL', lock.key)
    offers.offer(lock.key, lock.queue)
  elseif not holder then
    offers.offer(lock.key, lock.queue, true)
  elseif has_left or holder == SHARED_HOLDER then
    offers.let_in(lock.key, lock.queue, holder)
  end
  return 0
end
