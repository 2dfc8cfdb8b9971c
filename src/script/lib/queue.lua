-- The waiters for a name: a sorted set of places by ticket; each place is the time for which the name is reserved for
-- it, ms, and its inbox. An "r" in front marks a reader, an "s" a waiter for any permit.
--
-- A place is a lease. Next to each, with "@" in front, is its last refresh; these entries sort after all places. A
-- place that was not refreshed for PLACE_MS does not count and is removed when found, even if its inbox seems to have
-- a listener: an unclosed connection stays for a long time, and a client that subscribes to all channels also listens
-- to those of dead processes.
--
-- A key for the whole node exists while any queue may have a place, so that a release of names without waiters need
-- not look into their queues.
-- luacheck: read globals LEASES_FROM PLACE_MS RECORD_KEY WAITING_KEY

local now_ms = require('lib.clock')
local call = redis.call

local is_told = KEYS[1] ~= RECORD_KEY
-- As text, made once: formatting a number for a command costs as much as many a command.
local lease

-- Without a ticket: the place must exist. The key for the whole node is set first: if that fails, no place is added.
local function join(of, ticket, place)
  if not is_told then call('SET', WAITING_KEY, '', 'PX', PLACE_MS) end
  is_told = true
  lease = lease or string.format('%.0f', LEASES_FROM + now_ms())
  if ticket then
    call('ZADD', of, string.format('%.0f', ticket), place, lease, '@' .. place)
  else
    call('ZADD', of, lease, '@' .. place)
  end
  call('PEXPIRE', of, PLACE_MS)
end

-- Removes a place; two, where another is given.
local function leave(of, place, other)
  other = other or place
  call('ZREM', of, place, '@' .. place, other, '@' .. other)
end

-- In both directions: the node's clock may be set back.
local function is_fresh(seen, limit)
  return seen and math.abs(LEASES_FROM + now_ms() - seen) <= limit
end

local function is_lease(member)
  return string.sub(member, 1, 1) == '@'
end

-- The place of that rank, from 0, among those that count; and its ticket.
local function place_at(of, rank)
  while true do
    local place, ticket = unpack(call('ZRANGE', of, rank, rank, 'WITHSCORES'))
    if not place or is_lease(place) then return end
    if is_fresh(call('ZSCORE', of, '@' .. place), PLACE_MS) then return place, tonumber(ticket) end
    leave(of, place)
  end
end

-- How many count. Removes none.
local function count(of)
  local all, found = call('ZRANGE', of, 0, -1, 'WITHSCORES'), 0
  for at = 1, #all, 2 do
    if is_lease(all[at]) and is_fresh(all[at + 1], PLACE_MS) then found = found + 1 end
  end
  return found
end

-- Written only if necessary. ticket: the n-th. is_kept: whether its reservation has removed the place. It is added
-- again when that has ended: otherwise a process could get a second permit before the waiters behind it got one.
local function refresh(of, place, ticket, is_kept, n)
  local seen = call('ZSCORE', of, '@' .. place)
  if is_fresh(seen, PLACE_MS / 4) or not seen and is_kept(n) then return end
  join(of, not seen and ticket(n), place)
end

-- Whether a waiter that is not a reader is ahead of a reader with that ticket; for one without, anywhere in the
-- queue. Writers of the reader's own process are in its own wait queue: the reader is first there, or it would not
-- ask.
local function is_behind_writer(of, own_ticket, own_inbox)
  local rank = 0
  while true do
    local place, ticket = place_at(of, rank)
    if not place or own_ticket and own_ticket < ticket then return false end
    local inbox = string.match(place, '^s?%d+:(.*)$')
    if not inbox or inbox == own_inbox then
      rank = rank + 1
    elseif require('lib.inbox')(inbox, '') > 0 then
      return true
    else
      leave(of, place)
    end
  end
end

return {
  join = join, leave = leave, place_at = place_at, count = count, refresh = refresh,
  is_behind_writer = is_behind_writer,
}
