-- Extends a lock that is stored here. What others rely on is stored before the key's life is.

return function(lock, kind)
  if not kind.is_ours(lock) then return require('lib.lock_key').blocker(lock, kind) end
  if lock.kept then require('lib.kept').keep(lock) end
  kind.retime(lock)
  return 0
end
