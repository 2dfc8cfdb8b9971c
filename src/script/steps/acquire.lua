-- Takes the name if possible, and draws its fence; otherwise a waiter enters the queue.

return function(lock, kind)
  local is_ours = kind.is_ours(lock)
  local refusal, is_in_vain = kind.take(lock, true)
  if refusal then
    if lock.place and not is_in_vain then
      pcall(require('queue.enter'), lock.key, lock.queue, lock.ticket, lock.place)
    end
    return refusal
  end
  lock.is_created = not is_ours
  local fence, draw = 0, lock.token ~= '' and require('lib.draw_fence')
  if draw then fence = kind.same_fence and kind.same_fence(lock, draw) or draw(lock) end
  if lock.place then pcall(require('queue.leave'), lock.queue, lock.place) end
  if kind.taken then pcall(kind.taken, lock) end
  return fence
end
