-- When our part of a name that several hold at once ends, ms; undefined where it has, or the lock key has.

local now_ms = require('lib.clock')
local call = redis.call

return function(lock)
  local score = tonumber(call('ZSCORE', lock.members, lock.member) or nil)
  return score and score >= now_ms() and call('GET', lock.key) == lock.marker and score or nil
end
