-- Whether a place only keeps others waiting, because its process has ended: nobody listens to its inbox. Then it is
-- removed.
return function(of, place)
  local inbox = string.match(place, '^[rs]?[%d,]+:(.*)$')
  if inbox and require('lib.inbox').is_heard(inbox) then return false end
  require('queue.leave')(of, place)
  return true
end
