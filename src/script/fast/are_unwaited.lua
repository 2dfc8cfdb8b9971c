-- Whether nobody waits for any of these names.

return function(k, last)
  local companion, queues = require('lib.companion'), {}
  for at = k, last do queues[#queues + 1] = companion('queue', KEYS[at]) end
  return redis.pcall('EXISTS', unpack(queues)) == 0
end
