-- The first waiter for a permit that listens, once it has been notified of the permit; undefined where there is none.

return function(key, of, permit)
  while true do
    local first = require('queue.place_at')(of, 0)
    local ms, inbox = string.match(first or '', '^s(%d+):(.*)$')
    if ms then
      require('queue.leave')(of, first)
      if require('lib.inbox')(inbox, ms .. '/' .. permit .. ':' .. key) > 0 then return inbox, ms end
    elseif not first or not require('queue.has_ended')(of, first) then
      return
    end
  end
end
