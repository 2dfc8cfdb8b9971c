-- Leaves the queue, whatever the key holds. A reservation for us is passed on. Those that waited only because we were
-- ahead of them are told.
-- luacheck: read globals SHARED_HOLDER

local call = redis.call

-- other: of a client that leaves, its other place there. It may have been notified without a reservation (not every
-- layout has them, nor do they last), which has removed its place: that is passed on, too
return function(lock, other)
  local holder = redis.pcall('GET', lock.key)
  local has_left = require('queue.leave')(lock.queue, lock.place, other)
  if holder == lock.reservation then
    call('DEL', lock.key)
    require('queue.offer')(lock.key, lock.queue)
  elseif not holder and (has_left or other) then
    require('queue.offer')(lock.key, lock.queue, true)
  elseif has_left or holder == SHARED_HOLDER then
    require('queue.let_in')(lock.key, lock.queue, holder)
  end
end
