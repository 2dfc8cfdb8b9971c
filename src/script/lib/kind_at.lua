-- The kind whose holders are next to a lock key with that value; nothing where the key names its only holder, or for
-- whom it is reserved. Such a kind has, for whatever lock of it is there:
--   expire(key, holder, text)   ends one of its holders, see lib/standing.lua
--   let_in(key, queue, holder)  optional: tells those that waited only because of a place ahead of them, which is gone
-- holder: the value of the lock key
--
-- Refusals look for holders by lib/standing.lua alone: creating the functions of a kind for that would make them a
-- tenth slower.
-- luacheck: read globals OWNER_PREFIX PERMITS_HOLDER SHARED_HOLDER

return function(holder)
  if holder == SHARED_HOLDER then return require('kinds.shared') end
  if string.find(holder, PERMITS_HOLDER, 1, true) == 1 then return require('kinds.permit') end
  if string.find(holder, OWNER_PREFIX, 1, true) == 1 then return require('kinds.owned') end
end
