-- An inspect of one who wants to be told when the holder changes: with the secret that messages prove.

return function(lock)
  local found = require('steps.inspect')(lock)
  if type(found) == 'table' then found[#found + 1] = require('lib.watchers').watch(lock.key, lock.owner) end
  return found
end
