-- How many places of a queue count. Removes none.
-- luacheck: read globals PLACE_MS

return function(of)
  local all, found = redis.call('ZRANGE', of, 0, -1, 'WITHSCORES'), 0
  for at = 1, #all, 2 do
    local is_lease = string.sub(all[at], 1, 1) == '@'
    if is_lease and require('queue.is_fresh')(all[at + 1], PLACE_MS) then found = found + 1 end
  end
  return found
end
