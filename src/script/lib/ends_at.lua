-- When our part of a name that several hold at once ends, ms; undefined where it has, or the lock key has.
-- is_same: optional: whether the lock key is ours where it is not lock.marker

local now_ms = require('lib.clock')
local call = redis.call

return function(lock, is_same)
  local score = tonumber(call('ZSCORE', lock.members, lock.member) or nil)
  if not score or score < now_ms() then return end
  local holder = call('GET', lock.key)
  return (holder == lock.marker or is_same and is_same(lock, holder)) and score or nil
end
