-- The process has just been heard of, see queue/grant_waiter.lua.
-- luacheck: read globals PLACE_MS

return function(inbox)
  redis.call('SET', require('queue.seen_key')(inbox), require('queue.this_call')(), 'PX', PLACE_MS)
end
