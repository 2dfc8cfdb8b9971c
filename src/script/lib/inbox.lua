-- The channel of a process. A member of a Cluster knows only those that listen to it, so there the process has one in
-- each hash slot, to which it subscribes at the member that has the slot.
-- luacheck: read globals INBOX_CHANNEL

local tag = require('lib.hash_tag')

local function channel_of(inbox)
  return INBOX_CHANNEL .. inbox .. (tag and ':' .. tag or '')
end

-- Returns how many listen.
local function send(inbox, message)
  return redis.call(tag and 'SPUBLISH' or 'PUBLISH', channel_of(inbox), message)
end

-- Before anything is sent that must not reach who listens to a replica: to those, messages are passed on.
local function is_heard(inbox)
  local counted = redis.pcall('PUBSUB', tag and 'SHARDNUMSUB' or 'NUMSUB', channel_of(inbox))
  -- Where that is not permitted, an empty message is counted.
  return tonumber(counted[2] or send(inbox, '')) > 0
end

return { send = send, is_heard = is_heard }
