-- Notifications for waiters in a queue: waiters that do not listen are skipped, and keep nobody waiting. The message
-- begins with the place that is meant: one process may wait for the name in one place and for a permit in another.
-- luacheck: read globals RESERVATION

local leave = require('queue.leave')
local place_at = require('queue.place_at')
local tell = require('lib.inbox')
local call = redis.call

-- Offers a free name to the first waiter that listens, and reserves it; or executes its deferred acquire. by: the
-- lock that was released, where that is possible
local function offer(key, of, is_not_reserved, by)
  while true do
    local first = place_at(of, 0)
    if not first then return end
    leave(of, first)
    local wants, ms, inbox = string.match(first, '^([rs]?[%d,]-)(%d+):(.*)$')
    -- Not to the process that gives it up for others and waits on: it could keep them out for ever.
    local is_given_up = by and by.inbox == inbox and by.token == ''
    local may_grant = wants == '' and by and not is_given_up and not is_not_reserved and #by.buckets == 1
    if may_grant and require('queue.deferred').execute(by, of, first, inbox) then return end
    if tell(inbox, wants .. ms .. ':' .. key) > 0 then
      if not is_not_reserved then call('SET', key, RESERVATION .. inbox, 'NX', 'PX', ms) end
      return
    end
  end
end

-- The waiters that can share it with readers: all before the first that cannot.
local function notify_readers(key, of)
  local rank = 0
  while true do
    local place = place_at(of, rank)
    local reading, inbox = string.match(place or '', '^(r%d+):(.*)$')
    if reading then
      tell(inbox, reading .. ':' .. key)
      rank = rank + 1
    elseif not place or not require('queue.has_ended')(of, place) then
      return
    end
  end
end

-- Those that waited only because of a place ahead of them, which is gone. holder: the value of the lock key
local function let_in(key, of, holder)
  local name = type(holder) == 'string' and require('lib.standing').kind_at(holder)
  local kind = name and require('kinds.' .. name)
  if kind and kind.let_in then kind.let_in(key, of, holder) end
end

-- Not an offer, but a hint to check: the key will be gone sooner than the waiter was told.
local function notify_next(key, of)
  while true do
    local first = place_at(of, 0)
    local turn, inbox = string.match(first or '', '^([rs]?[%d,]+):(.*)$')
    if not turn or tell(inbox, turn .. ':' .. key) > 0 then return end
    leave(of, first)
  end
end

return {
  offer = offer, notify_readers = notify_readers, notify_next = notify_next, let_in = let_in,
}
