-- The key that says when a process was last heard of in a refresh.
-- luacheck: read globals RESERVED_PREFIX

return function(inbox)
  local tag = require('lib.hash_tag')
  return RESERVED_PREFIX .. 'seen:' .. inbox .. (tag and ':' .. tag or '')
end
