-- Sends a message to a process; returns how many listen. A member of a Cluster knows only those that listen to it, so
-- there the process has a channel in each hash slot, to which it subscribes at the member that has the slot.
-- luacheck: read globals INBOX_CHANNEL

return function(inbox, message)
  local slot = require('lib.slot')
  if slot then return redis.call('SPUBLISH', INBOX_CHANNEL .. inbox .. ':' .. slot, message) end
  return redis.call('PUBLISH', INBOX_CHANNEL .. inbox, message)
end
