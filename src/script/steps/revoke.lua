-- Remembers that an operator has ended this owner's lock: no heal restores it, nor does an acquire that is still in
-- flight.
-- luacheck: read globals ENDED_KEY

local call = redis.call

return function(lock)
  local key = require('lib.ended').key_beside(lock.key)
  call('ZADD', key, 0, lock.owner)
  if lock.ttl > call('PTTL', key) then call('PEXPIRE', key, lock.ttl) end
  if ARGV[1] ~= '' and lock.ttl > call('PTTL', ENDED_KEY) then call('SET', ENDED_KEY, '', 'PX', lock.ttl) end
  require('lib.tell_holder')(lock.owner)
  return 0
end
