-- Whether nobody waits for any of these names, or observes it.

return function(k, last)
  local companion, queues = require('lib.companion'), {}
  for at = k, last do
    queues[#queues + 1], queues[#queues + 2] = companion('queue', KEYS[at]), companion('watched', KEYS[at])
  end
  return redis.pcall('EXISTS', unpack(queues)) == 0
end
