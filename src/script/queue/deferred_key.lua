-- The key beside the lock key that has the deferred acquire of a process, see queue/defer.lua.

return function(key, inbox)
  return require('lib.companion')('deferred-' .. inbox, key)
end
