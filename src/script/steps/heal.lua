-- Restores a lock where the name is free; lifts the fence whoever holds it. To those who wait it is a lock like one
-- that was granted: it lets others in.

return function(lock, kind)
  local is_ours = kind.is_ours(lock)
  require('lib.lift')(lock, lock.token)
  if lock.kept then require('lib.longer_extension').keep(lock) end
  local refusal = not is_ours and kind.take(lock, false)
  if refusal then return refusal end
  if kind.lifted then kind.lifted(lock, lock.token) end
  if kind.taken then pcall(kind.taken, lock) end
  if lock.value and require('lib.value').store(lock) then require('lib.tell_observers')(lock) end
  return 0
end
