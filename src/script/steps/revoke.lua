-- Remembers that an operator has ended this owner's lock: no heal restores it, nor does an acquire that is still in
-- flight.

local call = redis.call

return function(lock)
  local key = require('lib.ended').key_beside(lock.key)
  call('ZADD', key, 0, lock.owner)
  if lock.ttl > call('PTTL', key) then call('PEXPIRE', key, lock.ttl) end
  local until_ms = require('lib.clock')() + lock.ttl
  if ARGV[1] ~= '' and until_ms > tonumber(call('HGET', KEYS[1], 'endedUntilMs') or 0) then
    call('HSET', KEYS[1], 'endedUntilMs', string.format('%.0f', until_ms))
  end
  require('lib.tell_holder')(lock.owner)
  return 0
end
