-- Enters the queue, or renews a place in it.
--
-- The waiters for a name: a sorted set of places by ticket; each place is the time for which the name is reserved for
-- it, ms, and its inbox. An "r" in front marks a reader, an "s" a waiter for any permit, with "3," behind it for three.
--
-- A place is a lease. Next to each, with "@" in front, is its last refresh; these entries sort after all places. A
-- place that was not refreshed for PLACE_MS does not count and is removed when found, even if its inbox seems to have
-- a listener: an unclosed connection stays for a long time, and a client that subscribes to all channels also listens
-- to those of dead processes.
--
-- A key for the whole node exists while any queue may have a place, so that a release of names without waiters need
-- not look into their queues.
-- luacheck: read globals LEASES_FROM PLACE_MS RECORD_KEY WAITING_KEY

local call = redis.call

local is_told = KEYS[1] ~= RECORD_KEY
-- As text, made once: formatting a number for a command costs as much as many a command.
local lease

-- Without a ticket: the place must exist. The key for the whole node is set first: if that fails, no place is added.
return function(of, ticket, place)
  if not is_told then call('SET', WAITING_KEY, '', 'PX', PLACE_MS) end
  is_told = true
  lease = lease or string.format('%.0f', LEASES_FROM + require('lib.clock')())
  if ticket then
    call('ZADD', of, string.format('%.0f', ticket), place, lease, '@' .. place)
  else
    call('ZADD', of, lease, '@' .. place)
  end
  call('PEXPIRE', of, PLACE_MS)
end
