-- Notifies the waiters that can share a name with readers: all before the first that cannot.

return function(key, of)
  local rank = 0
  while true do
    local place = require('queue.place_at')(of, rank)
    local reading, inbox = string.match(place or '', '^(r%d+):(.*)$')
    if reading then
      require('lib.inbox').send(inbox, reading .. ':' .. key)
      rank = rank + 1
    elseif not place or not require('queue.has_ended')(of, place) then
      return
    end
  end
end
