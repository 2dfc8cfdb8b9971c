-- Whose lock an operator has ended stands in a sorted set of the name, for longer than that one can
-- believe: else a heal of a round that was won just before could put the key back, or an acquire that is
-- still on its way. Its key is that of the fence with another word. Acquires look only while a key for
-- the whole node says that there is such a set; it is kept where incarnations are compared.

local function key_beside(fence_key)
  return (string.gsub(fence_key, '^quorate:fence', 'quorate:ended'))
end

-- Of several names beside the fence of each.
local function is_ended(lock)
  for _, fence_key in ipairs(lock.fences or { lock.fence_key }) do
    if type(redis.pcall('ZSCORE', key_beside(fence_key), lock.owner)) == 'string' then return true end
  end
  return false
end

return { key_beside = key_beside, is_ended = is_ended }
