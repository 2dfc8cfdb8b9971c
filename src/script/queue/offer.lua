-- Offers a free name to the first waiter that listens, and reserves it; or executes its deferred acquire. Waiters that
-- do not listen are skipped, and keep nobody waiting. The message begins with the place that is meant: one process may
-- wait for the name in one place and for a permit in another.
-- luacheck: read globals RESERVATION

-- by: the lock that was released, where that is possible
return function(key, of, is_not_reserved, by)
  while true do
    local first = require('queue.place_at')(of, 0)
    if not first then return end
    require('queue.leave')(of, first)
    local wants, ms, inbox = string.match(first, '^([rs]?[%d,]-)(%d+):(.*)$')
    -- Not to the process that gives it up for others and waits on: it could keep them out for ever.
    local is_given_up = by and by.inbox == inbox and by.token == ''
    local may_grant = wants == '' and by and not is_given_up and not is_not_reserved and #by.buckets == 1
    if may_grant and require('queue.grant_waiter')(by, of, first, inbox) then return end
    if require('lib.inbox').send(inbox, wants .. ms .. ':' .. key) > 0 then
      if not is_not_reserved then redis.call('SET', key, RESERVATION .. inbox, 'NX', 'PX', ms) end
      return
    end
  end
end
