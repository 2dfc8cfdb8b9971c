-- A companion of a lock key, in the same hash slot whenever that is possible, as companionKey in protocol/keys.ts
-- makes it: it repeats the hash tag, or wraps the whole key in one.
-- luacheck: read globals RESERVED_PREFIX

return function(what, key)
  local open = string.find(key, '{', 1, true)
  local close = open and string.find(key, '}', open + 1, true)
  local is_tagged = close and close > open + 1
  return RESERVED_PREFIX .. what .. (is_tagged and '-of-tagged:' .. key or ':{' .. key .. '}')
end
