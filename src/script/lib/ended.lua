-- The owners whose lock an operator has ended are in a sorted set of the name, for longer than they can act on the
-- lock: otherwise a heal of a round that was won just before could restore the key, or an acquire that is still in
-- flight. Acquires look only until the time up to which the node's record says that there may be such a set; that is
-- stored where incarnations are compared.

local companion = require('lib.companion')

local function key_beside(key)
  return companion('ended', key)
end

-- Of several names, a set for each. Fails without permission to look: the lock may have been ended.
local function is_ended(lock)
  for _, key in ipairs(lock.lock_keys or { lock.key }) do
    if redis.call('ZSCORE', key_beside(key), lock.owner) then return true end
  end
  return false
end

return { key_beside = key_beside, is_ended = is_ended }
