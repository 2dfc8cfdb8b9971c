-- Whose lock an operator has ended stands in a sorted set of the name, for longer than that one can
-- believe: else a heal of a round that was won just before could put the key back, or an acquire that is
-- still on its way. Acquires look only while a key for the whole node says that there is such a set; it is
-- kept where incarnations are compared.

local companion = require('lib.companion')

local function key_beside(key)
  return companion('ended', key)
end

-- Of several names beside each.
local function is_ended(lock)
  for _, key in ipairs(lock.lock_keys or { lock.key }) do
    if type(redis.pcall('ZSCORE', key_beside(key), lock.owner)) == 'string' then return true end
  end
  return false
end

return { key_beside = key_beside, is_ended = is_ended }
