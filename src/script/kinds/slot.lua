-- One of the permits of a semaphore: the lock key holds `semaphore:` and how many permits there are,
-- so that it excludes every other kind of lock and every semaphore of another size, and lives as long
-- as the last permit that is held; a sorted set holds slot and owner of each by the instant (ms, the
-- node's clock) at which it ends.
--
-- A slot is a mutex of its own: refused where another owner stands in that very slot, however many
-- others are free. The refusal tells which slots are taken. To let in whoever finds fewer owners than
-- permits would be wrong on a quorum: nodes that each count others let more in than there are permits.
--
-- A slot that becomes free is kept for the first in the queue that wants one, for as long as a turn is.
-- luacheck: read globals INBOX_CHANNEL

function layouts.slot(lock)
  local call, key, slots, owner, queue = lock.call, lock.key, lock.keys[1], lock.owner, lock.queue
  local permits, slot = tonumber(lock.args[1]), tonumber(lock.args[2])
  local marker, place = 'semaphore:' .. permits, lock.args[2] .. ':' .. owner
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local is_first = false

  -- Undefined where the hold has ended, or its lock key has.
  local function ends_at()
    local score = tonumber(call('ZSCORE', slots, place) or nil)
    return score and score >= now and call('GET', key) == marker and score or nil
  end

  -- The lock key ends with the last of them, and the slots with it.
  local function settle()
    call('ZREMRANGEBYSCORE', slots, '-inf', '(' .. now)
    local last = tonumber(call('ZRANGE', slots, -1, -1, 'WITHSCORES')[2])
    if last then
      call('SET', key, marker, 'PX', math.max(1, last - now))
      call('PEXPIRE', slots, math.max(1, last - now))
    else
      call('DEL', key, slots)
    end
  end

  -- Who stands in which slot, and how long until the first of them ends: a turn only where all are turns.
  local function standing()
    local taken, left, of_turn = {}, nil, nil
    local all = call('ZRANGE', slots, 0, -1, 'WITHSCORES')
    for at = 1, #all, 2 do
      local score = tonumber(all[at + 1])
      if score >= now then
        local index, who = string.match(all[at], '^(%d+):(.*)$')
        taken[tonumber(index)] = who
        if string.sub(who, 1, 5) == 'turn:' then of_turn = of_turn or score - now else left = left or score - now end
      end
    end
    return taken, left or of_turn
  end

  local function refuse(taken, left)
    local digits = {}
    for at = 0, permits - 1, 4 do
      local digit = 0
      for bit = 0, 3 do
        if taken[at + bit] then digit = digit + 2 ^ bit end
      end
      digits[#digits + 1] = string.format('%x', digit)
    end
    return 'P' .. left .. ':' .. table.concat(digits)
  end

  -- Keeps a free slot for the first who wants one and is heard.
  local function serve(index)
    while true do
      local first = call('ZRANGE', queue, 0, 0)[1]
      local turn, inbox = string.match(first or '', '^s(%d+):(.*)$')
      if not turn then return false end
      call('ZREM', queue, first)
      if call('PUBLISH', INBOX_CHANNEL .. inbox, turn .. '/' .. index .. ':' .. key) > 0 then
        call('ZADD', slots, now + turn, index .. ':turn:' .. inbox)
        settle()
        return true
      end
    end
  end

  local self = {}

  function self.is_ours()
    return ends_at() ~= nil
  end

  function self.blocker()
    local holder = call('GET', key)
    if holder and holder ~= marker then return lock.refuse(holder) end
    local taken, left = standing()
    return holder and taken[slot] and refuse(taken, left) or 'F'
  end

  function self.retime()
    if (ends_at() or 0) < now + lock.ttl then call('ZADD', slots, now + lock.ttl, place) end
    settle()
  end

  function self.take()
    local holder = call('GET', key)
    local is_turn = lock.turn and holder == lock.turn
    if holder and holder ~= marker and not is_turn then
      if string.sub(holder, 1, 10) == 'semaphore:' then return 'T' .. holder, true end
      return lock.refuse(holder)
    end
    if holder == marker then
      local taken, left = standing()
      local who = taken[slot]
      if who and who ~= owner and who ~= lock.turn then return refuse(taken, left) end
      if who and who == lock.turn then call('ZREM', slots, slot .. ':' .. who) end
    else
      -- Not before the first command that takes memory: a node without any refuses nothing behind it.
      if call('EXISTS', slots) == 1 then call('DEL', slots) end
      is_first = true
    end
    self.retime()
  end

  -- Behind a lock of another kind all other slots are free.
  function self.taken()
    if not is_first then return end
    for index = 0, permits - 1 do
      if index ~= slot and not serve(index) then return end
    end
  end

  function self.drop()
    call('ZREM', slots, place)
    settle()
  end

  function self.pass_on()
    serve(slot)
  end

  -- Out of the queue; a turn of ours at this slot, or at the name, goes to the next.
  function self.leave()
    call('ZREM', queue, lock.waiter)
    local holder = call('GET', key)
    local is_semaphore = string.sub(holder or '', 1, 10) == 'semaphore:'
    if holder == lock.turn then
      call('DEL', key)
      lock.give_turn(key, queue)
    elseif slot and is_semaphore and call('ZREM', slots, slot .. ':' .. lock.turn) == 1 then
      -- Who passes it on need not know how many permits there are.
      marker = holder
      settle()
      if not serve(slot) and call('EXISTS', key) == 0 then lock.give_turn(key, queue) end
    end
  end

  return self
end
