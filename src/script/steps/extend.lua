-- Extends a lock that is stored here. What others rely on is stored before the key's life is; what its holder
-- proclaims, with it.

return function(lock, kind)
  if not kind.is_ours(lock) then return require('lib.lock_key').blocker(lock, kind) end
  if lock.kept then require('lib.longer_extension').keep(lock) end
  kind.retime(lock)
  if lock.value and require('lib.value').store(lock) then require('lib.tell_observers')(lock) end
  return 0
end
