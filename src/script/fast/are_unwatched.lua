-- Whether nobody observes any of the names of a group of acquires.
-- luacheck: read globals KEYS_OF_ALL

return function(k, size)
  local companion, watched = require('lib.companion'), {}
  for m = 0, size - 1 do watched[m + 1] = companion('watched', KEYS[k + m * KEYS_OF_ALL]) end
  return redis.pcall('EXISTS', unpack(watched)) == 0
end
