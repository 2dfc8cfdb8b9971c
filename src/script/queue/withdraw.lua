-- The owner of a deferred acquire is over. Unless the place has gone on with another attempt, it is left, as by a
-- leave: what is reserved for it is given up, and those are let in that waited behind it only. An attempt under another
-- record has come back with an older state of the node, and is over as well.

local call = redis.call

-- is_free: nobody has the name, for sure
return function(lock, is_free)
  local key = require('queue.deferred_key')(lock.key, lock.inbox)
  local under, place, owner = string.match(call('GET', key) or '', '^%d+ %d+ (%S+) (%S+) %d+ %d+ (.+)$')
  if owner and owner ~= lock.owner and under == require('queue.known_record') then return end
  -- It may have come without, to a node whose votes did not count.
  if not owner and lock.ticket > 0 then return end
  if owner then call('DEL', key) end
  local has_left = require('queue.leave')(lock.queue, place or lock.place, 'r' .. (place or lock.place))
  if is_free then return end
  local holder = redis.pcall('GET', lock.key)
  if lock.ticket == 0 and holder == lock.reservation then
    call('DEL', lock.key)
  elseif has_left then
    require('queue.let_in')(lock.key, lock.queue, holder)
  end
end
