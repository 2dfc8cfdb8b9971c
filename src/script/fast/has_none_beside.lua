-- Whether no key of this kind is beside any of the names from KEYS[k] to KEYS[last]: whether nobody waits there, or
-- observes them.

return function(k, last, kind)
  local companion, keys = require('lib.companion'), {}
  for at = k, last do keys[#keys + 1] = companion(kind, KEYS[at]) end
  return redis.pcall('EXISTS', unpack(keys)) == 0
end
