-- Whether a waiter that is not a reader is ahead of a reader with that ticket; for one without, anywhere in the
-- queue. Writers of the reader's own process are in its own wait queue: the reader is first there, or it would not
-- ask.
-- Places of processes that have ended are removed. Second, whether there were any: then readers behind them, which
-- only that kept out, must be told.

local place_at = require('queue.place_at')

return function(of, own_ticket, own_inbox)
  local rank, has_opened = 0, false
  while true do
    local place, ticket = place_at(of, rank)
    if not place or own_ticket and own_ticket < ticket then return false, has_opened end
    local inbox = string.match(place, '^s?[%d,]+:(.*)$')
    if not inbox or inbox == own_inbox then
      rank = rank + 1
    elseif not require('queue.has_ended')(of, place) then
      return true, has_opened
    else
      has_opened = true
    end
  end
end
