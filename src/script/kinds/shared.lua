-- Many readers: the lock key holds `shared:`, so that it excludes every plain lock, and lives as long
-- as the last of them; a sorted set holds the readers by the instant (ms, the node's clock) at which
-- each ends.
--
-- A reader does not come before a writer that waits in the queue and came earlier, nor before any if
-- it has no place there itself: else readers that follow each other would keep a writer out for ever.
-- A writer that nobody listens to any more does not count.
-- luacheck: read globals INBOX_CHANNEL

function layouts.shared(lock)
  local call, key, owner, readers = lock.call, lock.key, lock.owner, lock.keys[1]
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local is_first = false

  -- Undefined where the reader has ended, or its lock key has.
  local function ends_at()
    local score = tonumber(call('ZSCORE', readers, owner) or nil)
    return score and score >= now and call('GET', key) == 'shared:' and score or nil
  end

  -- The lock key ends with the last reader, and the readers with it.
  local function settle()
    call('ZREMRANGEBYSCORE', readers, '-inf', '(' .. now)
    local last = tonumber(call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
    if last then
      call('SET', key, 'shared:', 'PX', math.max(1, last - now))
      call('PEXPIRE', readers, math.max(1, last - now))
    else
      call('DEL', key, readers)
    end
  end

  -- Writers of our own process stand in its line: there we come first, or would not ask.
  local function is_behind_writer()
    local at = 0
    while true do
      local first = call('ZRANGE', lock.queue, at, at, 'WITHSCORES')
      if not first[1] or lock.ticket and lock.ticket < tonumber(first[2]) then return false end
      local inbox = string.match(first[1], '^s?%d+:(.*)$')
      if not inbox or inbox == lock.inbox then
        at = at + 1
      elseif call('PUBLISH', INBOX_CHANNEL .. inbox, '') > 0 then
        return true
      else
        call('ZREM', lock.queue, first[1])
      end
    end
  end

  local self = {}

  function self.is_ours()
    return ends_at() ~= nil
  end

  function self.retime()
    if (ends_at() or 0) < now + lock.ttl then call('ZADD', readers, now + lock.ttl, owner) end
    settle()
  end

  function self.take(is_acquire)
    local holder = call('GET', key)
    local is_turn = lock.inbox and holder == 'turn:' .. lock.inbox
    if holder and holder ~= 'shared:' and not is_turn then return lock.refuse(holder) end
    if holder ~= 'shared:' then
      -- Not before the first command that takes memory: a node without any refuses nothing behind it.
      if call('EXISTS', readers) == 1 then call('DEL', readers) end
      is_first = true
    elseif is_acquire and not ends_at() then
      -- Waiting in turn is for others' sake: who may not look into the queue goes on without.
      local may_look, is_behind = pcall(is_behind_writer)
      if may_look and is_behind then return lock.refuse(holder) end
    end
    self.retime()
  end

  -- With the first of them the others can have it too.
  function self.taken()
    if is_first then lock.tell_readers() end
  end

  function self.drop()
    call('ZREM', readers, owner)
    settle()
  end

  return self
end
