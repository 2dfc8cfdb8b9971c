-- Enters the queue of a name with a ticket. A process has one place for all of its waiters of a kind: where the first
-- of them has gone, the place goes on with the ticket of the next, which came later. Those that it was ahead of are
-- told then, as if it had left; but where the key is free, nobody waits only because of a place. deferred: the acquire
-- that is left with it, or "".

local call = redis.call

return function(key, of, ticket, place, deferred, is_free)
  local was = not is_free and tonumber(call('ZSCORE', of, place) or nil)
  local inbox = string.match(place, '^%d+:(.*)$')
  if inbox then require('queue.defer')(key, place, inbox, deferred or '') end
  require('queue.join')(of, ticket, place)
  if was and was < ticket and string.sub(place, 1, 1) ~= 'r' then
    require('queue.let_in')(key, of, redis.pcall('GET', key))
  end
end
