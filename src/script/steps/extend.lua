-- Extends a lock that is stored here.

return function(lock, kind)
  if not kind.is_ours(lock) then return require('lib.lock_key').blocker(lock, kind) end
  kind.retime(lock)
  return 0
end
