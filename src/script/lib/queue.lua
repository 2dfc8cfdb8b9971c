-- Those who wait for a name, and whose turn it is.
--
-- The queue is a sorted set of places by ticket: turn and inbox, and an "r" in front of the turn of a
-- reader, an "s" of one who wants a permit. A place is a lease. Beside each stands, with "@" in front, when
-- it was refreshed last; these come behind all places. One that was not refreshed for PLACE_MS does not
-- count, and is taken out when met, whoever seems to listen to its inbox: a connection that nobody
-- closed is there for long, and whoever listens to all channels listens to those of the dead.
-- luacheck: read globals INBOX_CHANNEL PLACE_MS LEASES_FROM

local function stand(queue, ticket, place)
  call('ZADD', queue, ticket, place, LEASES_FROM + now_ms(), '@' .. place)
  call('PEXPIRE', queue, PLACE_MS)
end

-- Two, where another is given.
local function take_out(queue, place, other)
  other = other or place
  call('ZREM', queue, place, '@' .. place, other, '@' .. other)
end

-- Both ways: the node's clock may be set back.
local function is_fresh(seen, limit)
  return math.abs(LEASES_FROM + now_ms() - seen) <= limit
end

-- The place of that rank, from 0, of those that count; and its ticket.
local function place_at(queue, rank)
  while true do
    local place, ticket = unpack(call('ZRANGE', queue, rank, rank, 'WITHSCORES'))
    if not place or string.sub(place, 1, 1) == '@' then return end
    local seen = call('ZSCORE', queue, '@' .. place)
    if seen and is_fresh(seen, PLACE_MS) then return place, tonumber(ticket) end
    take_out(queue, place)
  end
end

local function count_places(queue)
  local all, count = call('ZRANGE', queue, 0, -1, 'WITHSCORES'), 0
  for at = 1, #all, 2 do
    if string.sub(all[at], 1, 1) == '@' and is_fresh(all[at + 1], PLACE_MS) then count = count + 1 end
  end
  return count
end

local function queue_up()
  if is_waiting then stand(queue, args[a + 3], waiter) end
end

local function give_turn(key, queue, is_not_kept)
  while true do
    local first = place_at(queue, 0)
    if not first then return end
    take_out(queue, first)
    local turn, inbox = string.match(first, '^[rs]?(%d+):(.*)$')
    if call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. ':' .. key) > 0 then
      if not is_not_kept then call('SET', key, 'turn:' .. inbox, 'NX', 'PX', turn) end
      return
    end
  end
end

-- Those of the queue who can have it beside readers: all before the first who can not.
local function tell_readers()
  local rank = 0
  while true do
    local turn, inbox = string.match(place_at(queue, rank) or '', '^r(%d+):(.*)$')
    if not turn then return end
    call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. ':' .. key)
    rank = rank + 1
  end
end

-- Not that it is its turn, but that it is worth a look: the key will be gone sooner than it was told.
local function tell_first()
  local turn, inbox = string.match(place_at(queue, 0) or '', '^r?(%d+):(.*)$')
  if turn then call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. ':' .. key) end
end

-- Whether one who is no reader waits in front of a reader with that ticket; of one without, anywhere.
-- Writers of our own process stand in its line: there we come first, or would not ask.
local function is_behind_writer(queue, ticket, own_inbox)
  local rank = 0
  while true do
    local place, its_ticket = place_at(queue, rank)
    if not place or ticket and ticket < its_ticket then return false end
    local inbox = string.match(place, '^s?%d+:(.*)$')
    if not inbox or inbox == own_inbox then
      rank = rank + 1
    elseif call('PUBLISH', INBOX_CHANNEL .. inbox, '') > 0 then
      return true
    else
      take_out(queue, place)
    end
  end
end
