-- Those who wait for a name, and whose turn it is.
-- luacheck: read globals INBOX_CHANNEL QUEUE_TTL_MS

local function queue_up()
  if not is_waiting then return end
  call('ZADD', queue, args[a + 3], waiter)
  call('PEXPIRE', queue, QUEUE_TTL_MS)
end

local function give_turn(key, queue, is_not_kept)
  while true do
    local first = call('ZPOPMIN', queue)[1]
    if not first then return end
    local turn, inbox = string.match(first, '^[rs]?(%d+):(.*)$')
    if call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. ':' .. key) > 0 then
      if not is_not_kept then call('SET', key, 'turn:' .. inbox, 'NX', 'PX', turn) end
      return
    end
  end
end

-- Those of the queue who can have it beside readers: all before the first who can not.
local function tell_readers()
  for _, member in ipairs(call('ZRANGE', queue, 0, -1)) do
    local turn, inbox = string.match(member, '^r(%d+):(.*)$')
    if not turn then return end
    call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. ':' .. key)
  end
end

-- Not that it is its turn, but that it is worth a look: the key will be gone sooner than it was told.
local function tell_first()
  local first = call('ZRANGE', queue, 0, 0)[1]
  local turn, inbox = string.match(first or '', '^r?(%d+):(.*)$')
  if turn then call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. ':' .. key) end
end
