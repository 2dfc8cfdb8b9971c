-- Whether a waiter that is not a reader is ahead of a reader with that ticket; for one without, anywhere in the
-- queue. Writers of the reader's own process are in its own wait queue: the reader is first there, or it would not
-- ask.

local place_at = require('queue.place_at')

return function(of, own_ticket, own_inbox)
  local rank = 0
  while true do
    local place, ticket = place_at(of, rank)
    if not place or own_ticket and own_ticket < ticket then return false end
    local inbox = string.match(place, '^s?%d+:(.*)$')
    if not inbox or inbox == own_inbox then
      rank = rank + 1
    elseif not require('queue.has_ended')(of, place) then
      return true
    end
  end
end
