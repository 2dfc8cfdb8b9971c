-- Leaves the queue, and takes back what was left there.

return function(lock, kind)
  if kind.leave then
    kind.leave(lock)
    return 0
  end
  if lock.inbox then pcall(require('queue.undefer'), lock.key, lock.inbox) end
  require('queue.quit')(lock, 'r' .. lock.place)
  return 0
end
