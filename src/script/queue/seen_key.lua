-- The key that says when a process was last heard of in a refresh.
-- luacheck: read globals RESERVED_PREFIX

return function(inbox)
  return RESERVED_PREFIX .. 'seen:' .. inbox
end
