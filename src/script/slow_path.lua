-- Any operation on a plain mutex, and what concerns all kinds of locks.
-- luacheck: read globals OWN_FIELDS OWNER_PREFIX ENDED_KEY

local function step()
  local is_acquire = code == 'A' or code == 'W' or code == 'O'
  -- With the keys of those that may stand beside the lock key: readers, permits, holds of an owner.
  if code == 'Y' then
    return refresh()
  elseif code == 'I' then
    local holder, pttl, time, beside = call('GET', key), call('PTTL', key), call('TIME'), {}
    if holder and pttl < 0 then return foreign(key) end
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local function see(text, ends)
      local left = tonumber(ends) - now
      if left >= 0 then beside[#beside + 1], beside[#beside + 2] = text, left end
    end
    local set = holder == 'shared:' and keys[k + 3] or string.find(holder or '', 'semaphore:', 1, true) == 1 and keys[k + 4]
    if set then
      local all = call('ZRANGE', set, 0, -1, 'WITHSCORES')
      for at = 1, #all, 2 do
        if not string.find(all[at], '^%d+:turn:') then see(all[at], all[at + 1]) end
      end
    elseif string.find(holder or '', OWNER_PREFIX, 1, true) == 1 then
      local all = call('HGETALL', keys[k + 5])
      for at = 1, #all, 2 do
        local hold = string.match(all[at], '^' .. OWN_FIELDS .. 'hold:(.*)$')
        if hold then see(hold, all[at + 1]) end
      end
    end
    return { holder, pttl, call('GET', fence_key), count_places(queue), beside }
  elseif code == 'V' then
    local ended = string.gsub(fence_key, '^quorate:fence', 'quorate:ended')
    call('ZADD', ended, 0, owner)
    if tonumber(ttl) > call('PTTL', ended) then call('PEXPIRE', ended, ttl) end
    is_wary = args[1] ~= ''
    if is_wary and tonumber(ttl) > call('PTTL', ENDED_KEY) then call('SET', ENDED_KEY, '', 'PX', ttl) end
    return 0
  elseif is_heal or is_wary and is_acquire then
    -- Of several names beside the fence of each.
    for at = k + 1, kind == 'several' and k_end or k + 1, 3 do
      local ended = string.gsub(keys[at], '^quorate:fence', 'quorate:ended')
      if type(try('ZSCORE', ended, owner)) == 'string' then return 'D' end
    end
  end
  if kind and (code ~= 'L' or kind == 'slot') then return laid_out_step() end
  if is_acquire and not is_created then is_created = call('SET', key, owner, 'NX', 'PX', ttl) end
  -- Out of the queue goes who leaves it, whatever the key holds.
  local holder = (code == 'L' and try or call)('GET', key)
  local is_our_turn = waiter and holder == 'turn:' .. args[a + 2]
  local is_ours = holder == owner
  if is_acquire then
    local is_handed_over = holder and holder == previous and not is_ours
    lift_to_previous()
    if not (is_ours or is_our_turn or is_handed_over) then
      pcall(queue_up)
      return refuse(holder)
    end
    local reply = given == '' and 0 or store(next_fence())
    -- Behind the fence: where that fails the previous owner's key stands, for its release.
    if is_ours then retime() else call('SET', key, owner, 'PX', ttl) end
    if not waiter then return reply end
    -- Waiting is for speed only; who may not look takes it that others wait.
    pcall(take_out, queue, waiter)
    local could_look, other = pcall(place_at, queue, 0)
    return 'O' .. (is_handed_over and 1 or 0) .. (could_look and not other and 0 or 1) .. reply
  elseif code == 'L' then
    take_out(queue, waiter, 'r' .. waiter)
    if is_our_turn then
      call('DEL', key)
      give_turn(key, queue)
    elseif holder == 'shared:' then
      tell_readers()
    end
    return 0
  elseif code == 'S' then
    if not is_ours then return refuse(holder) end
    return is_behind(given) and store(given) or 'H0:'
  elseif code == 'E' then
    if not is_ours then return refuse(holder) end
    retime()
    return 0
  elseif code == 'K' then
    local left = is_ours and call('PTTL', key)
    if left and (left < 0 or tonumber(ttl) < left) then call('PEXPIRE', key, ttl) end
    lift(given)
    pcall(tell_first)
    return is_ours and 0 or refuse(holder)
  end
  -- Before the fence is lifted: a node that is out of memory refuses that, and must let go.
  if not is_heal and is_ours then call('DEL', key) end
  lift(given)
  if not is_heal then
    -- Waiting is for speed only: what goes wrong with it is not the release's business.
    pcall(queue_up)
    if not holder or is_ours then pcall(give_turn, key, queue) end
  end
  if is_heal and (not holder or is_our_turn) then
    call('SET', key, owner, 'PX', ttl)
  elseif not is_ours then
    return refuse(holder)
  end
  return 0
end
