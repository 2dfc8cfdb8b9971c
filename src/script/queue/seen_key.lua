-- The key that says when a process was last heard of in a refresh.
-- luacheck: read globals RESERVED_PREFIX

return function(inbox)
  local slot = require('lib.slot')
  return RESERVED_PREFIX .. 'seen:' .. inbox .. (slot and ':' .. slot or '')
end
