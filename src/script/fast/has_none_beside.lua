-- Whether no key of these kinds is beside any of the names from KEYS[k] to KEYS[last]: whether nobody waits there, or
-- observes them.

return function(k, last, kinds)
  local companion, keys = require('lib.companion'), {}
  for at = k, last do
    for _, kind in ipairs(kinds) do keys[#keys + 1] = companion(kind, KEYS[at]) end
  end
  return redis.pcall('EXISTS', unpack(keys)) == 0
end
