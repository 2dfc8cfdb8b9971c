/**
 * Many readers: the lock key holds `shared:`, so that it excludes every plain lock, and lives as long
 * as the last of them; a sorted set holds the readers by the instant (ms, the node's clock) at which
 * each ends.
 *
 * A reader does not come before those who wait in the queue: else readers that follow each other
 * would keep a writer out for ever. Who nobody listens to any more does not count.
 */
export const SHARED_LAYOUT = /* lua */ `
function(lock)
  local call, key, owner, readers = lock.call, lock.key, lock.owner, lock.keys[1]
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)

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

  local function is_behind_others()
    while true do
      local first = call('ZRANGE', lock.queue, 0, 0)[1]
      if not first or first == lock.waiter then return false end
      if call('PUBLISH', 'INBOX_CHANNEL' .. string.match(first, '^%d+:(.*)$'), '') > 0 then return true end
      call('ZREM', lock.queue, first)
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
    local is_turn = lock.turn and holder == lock.turn
    if holder and holder ~= 'shared:' and not is_turn then return lock.refuse(holder) end
    if holder ~= 'shared:' then
      call('DEL', readers)
      call('SET', key, 'shared:', 'PX', lock.ttl)
    elseif is_acquire and not ends_at() and is_behind_others() then
      return lock.refuse(holder)
    end
    self.retime()
  end

  -- The next in the queue may be a reader too.
  function self.taken()
    local first = call('ZRANGE', lock.queue, 0, 0)[1]
    if not first then return end
    local turn, inbox = string.match(first, '^(%d+):(.*)$')
    call('PUBLISH', 'INBOX_CHANNEL' .. inbox, turn .. ':' .. key)
  end

  function self.drop()
    call('ZREM', readers, owner)
    settle()
  end

  return self
end`;
