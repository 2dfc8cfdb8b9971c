-- Whether a place in a queue was refreshed lately, by the node's clock (ms): the last entry is the latest refresh, see
-- queue/join.lua.
-- luacheck: read globals LEASES_FROM PLACE_MS

return function(of, now_ms)
  local last = redis.call('ZRANGE', of, '-1', '-1', 'WITHSCORES')[2]
  return last and tonumber(last) >= LEASES_FROM + now_ms - PLACE_MS
end
