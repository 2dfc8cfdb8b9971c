-- Deferred acquires. With its place a waiter for an exclusive lock leaves the acquire that it would send when its turn
-- comes. The node executes it as soon as the name is free, in the step that frees it, and the message about that is
-- its vote: the waiter need not ask.
--
-- One per process and name, in a key beside the lock key: the number of the call that left it, when that was (ms), the
-- record that the caller knew, the place, how old it may be (ms), and what it asks for. Once executed, "+", its fence
-- and the owner that it was for: a refresh finds out if the message is lost, and an acquire of that owner gets the same
-- fence.
-- luacheck: read globals PLACE_MS

-- Replaces the one of an earlier attempt, which is over. acquire: "" for none. Who does not compare records cannot tell
-- whether the message is a vote.
return function(key, place, inbox, acquire)
  local of = require('queue.deferred_key')(key, inbox)
  if acquire ~= '' and require('queue.known_record') ~= '' then
    local text = require('queue.this_call')() .. ' ' .. place .. ' ' .. acquire
    if not redis.pcall('SET', of, text, 'PX', PLACE_MS).err then return end
  end
  -- Also where there is no memory for the next.
  redis.call('DEL', of)
end
