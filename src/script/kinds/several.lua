-- Several names at once, all or none: the plain lock key of each holds the same ownerId, so that a
-- plain mutex on one of the names excludes the set and is excluded by it. The layout has three keys
-- for each name but the first: lock key, fence key, queue key.

function layouts.several(lock)
  local call, owner, locks, fences, queues = lock.call, lock.owner, { lock.key }, { lock.fence }, {}
  for at = 1, #lock.keys, 3 do
    locks[#locks + 1], fences[#fences + 1] = lock.keys[at], lock.keys[at + 1]
    queues[#locks] = lock.keys[at + 2]
  end

  local self = { fences = fences }

  function self.is_ours()
    for _, key in ipairs(locks) do
      if lock.try('GET', key) ~= owner then return false end
    end
    return true
  end

  -- A part that is left of it is in nobody's way: it can be healed.
  function self.blocker()
    for at, key in ipairs(locks) do
      local holder = lock.try('GET', key)
      if type(holder) == 'table' then return lock.foreign(key, at) end
      if holder and holder ~= owner then return lock.refuse(holder, key, at) end
    end
    return 'F'
  end

  -- What is ours of it, however much that is. Those who wait for the first name are told behind it.
  function self.drop()
    for at, key in ipairs(locks) do
      if lock.try('GET', key) == owner then
        call('DEL', key)
        if at > 1 then pcall(lock.give_turn, key, queues[at]) end
      end
    end
  end

  self.drop_rest = self.drop

  function self.retime()
    for _, key in ipairs(locks) do
      if lock.ttl > call('PTTL', key) then call('PEXPIRE', key, lock.ttl) end
    end
  end

  -- Refuses by the holder that stays longest. A turn at the first name is of no use then, and goes on
  -- to the next; and it is in vain to wait there for what is held elsewhere.
  function self.take(is_acquire)
    local refusal, longest, is_elsewhere = nil, -1, true
    for at, key in ipairs(locks) do
      local holder = lock.try('GET', key)
      if type(holder) == 'table' then return lock.foreign(key, at), true end
      if holder and holder ~= owner and not (at == 1 and holder == lock.turn) then
        local left, refused = call('PTTL', key), lock.refuse(holder, key, at)
        if string.sub(refused, 1, 1) == 'T' then return refused, true end
        if left > longest then refusal, longest = refused, left end
        if at == 1 then is_elsewhere = false end
      end
    end
    if refusal then
      if is_elsewhere and is_acquire and lock.waiter then
        call('ZREM', lock.queue, lock.waiter)
        if call('GET', lock.key) == lock.turn then
          call('DEL', lock.key)
          pcall(lock.give_turn, lock.key, lock.queue)
        end
      end
      return refusal, is_elsewhere
    end
    local ok, reason = pcall(function()
      for _, key in ipairs(locks) do
        local left = call('GET', key) == owner and call('PTTL', key) or 0
        call('SET', key, owner, 'PX', math.max(lock.ttl, left))
      end
    end)
    if not ok then
      pcall(self.drop)
      error(reason, 0)
    end
  end

  return self
end
