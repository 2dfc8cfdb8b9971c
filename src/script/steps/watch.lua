-- An inspect of one who wants to be told when the holder changes: with the secret that messages prove. Telling only
-- saves time: a node that is out of memory answers, and tells nothing.

return function(lock)
  local found = require('steps.inspect')(lock)
  if type(found) ~= 'table' then return found end
  local may_tell, secret = pcall(require('lib.watchers').watch, lock.key, lock.owner)
  found[#found + 1] = may_tell and secret or ''
  return found
end
