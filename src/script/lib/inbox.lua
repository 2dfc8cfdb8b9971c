-- Sends a message to a process; returns how many listen.
-- luacheck: read globals INBOX_CHANNEL

return function(inbox, message)
  return redis.call('PUBLISH', INBOX_CHANNEL .. inbox, message)
end
