-- Tells a holder that its lock has ended here, though it did not release it: its process, which the ownerId names, asks
-- the nodes then. That only saves time: an error does not affect the step. owner: of a permit, after its number
-- luacheck: read globals OWNER_INBOX

return function(owner)
  local id = string.match(owner, '^%d+:(.*)$') or owner
  local shown, inbox = string.match(string.match(id, '^%d+~(.*)$') or id, OWNER_INBOX)
  if inbox then pcall(require('lib.inbox').send, inbox, 'lost ' .. shown) end
end
