-- What those who wait in a queue are told: who is not heard is passed over. The message says which place is meant,
-- as that begins: one process may wait for the name in one and for a permit in another.
-- luacheck: read globals RESERVATION

local queue = require('lib.queue')
local tell = require('lib.inbox')
local call = redis.call

-- Offers a name that is free to the first who is heard, and reserves it for that one.
local function offer(key, of, is_not_reserved)
  while true do
    local first = queue.place_at(of, 0)
    if not first then return end
    queue.leave(of, first)
    local wants, ms, inbox = string.match(first, '^([rs]?)(%d+):(.*)$')
    if tell(inbox, wants .. ms .. ':' .. key) > 0 then
      if not is_not_reserved then call('SET', key, RESERVATION .. inbox, 'NX', 'PX', ms) end
      return
    end
  end
end

-- The first who wants a permit and is heard, once it has been told which; undefined where there is none.
local function offer_permit(key, of, slot)
  while true do
    local first = queue.place_at(of, 0)
    local ms, inbox = string.match(first or '', '^s(%d+):(.*)$')
    if not ms then return end
    queue.leave(of, first)
    if tell(inbox, ms .. '/' .. slot .. ':' .. key) > 0 then return inbox, ms end
  end
end

-- Those of the queue who can have it beside readers: all before the first who can not.
local function notify_readers(key, of)
  local rank = 0
  while true do
    local reading, inbox = string.match(queue.place_at(of, rank) or '', '^(r%d+):(.*)$')
    if not reading then return end
    tell(inbox, reading .. ':' .. key)
    rank = rank + 1
  end
end

-- Not that it is offered, but that it is worth a look: the key will be gone sooner than it was told.
local function notify_next(key, of)
  local turn, inbox = string.match(queue.place_at(of, 0) or '', '^([rs]?%d+):(.*)$')
  if turn then tell(inbox, turn .. ':' .. key) end
end

return {
  offer = offer, offer_permit = offer_permit, notify_readers = notify_readers, notify_next = notify_next,
}
