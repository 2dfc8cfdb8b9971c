-- Holds of one owner, who may come in again, also from another process. A hash has the owner as a
-- field, with the number of its holds, and for each hold the instant (ms, the node's clock) at which
-- that one ends, so that a release that comes twice, or a hold of one who died, counts for itself
-- alone. The count is made anew from the holds at every step.
--
-- The hash is a key of the layout, and the lock key says whose it is, so that it excludes every plain
-- lock. With a channel (the layout of Redisson) the lock key is the hash, whose fields of ours
-- Redisson does not look at; what its owner's field counts beyond our holds, Redisson has entered.
-- There no turns are kept in the lock key: Redisson would fail on them.
--
-- The first hold of a tenure writes its fence down, and later ones get the same: all of them write
-- with one token, as long as the nodes agree on it. A node that counted beyond the token of the hold
-- that drew there agrees when it hears of it: as long as it has given its fence to nobody else, and
-- if no other owner had counted beyond the token before.
-- luacheck: read globals OWN_FIELDS OWNER_PREFIX

function layouts.owned(lock)
  local call, key, channel = lock.call, lock.key, lock.args[2]
  local is_redisson = channel ~= ''
  local owner = lock.args[1] ~= '' and lock.args[1] or lock.owner
  local holds, hold = is_redisson and key or lock.keys[1], OWN_FIELDS .. 'hold:' .. lock.owner
  local marker = OWNER_PREFIX .. owner
  local kind = is_redisson and call('TYPE', key).ok
  local is_foreign = is_redisson and kind ~= 'none' and kind ~= 'hash'
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local is_first = false

  local function is_in()
    if is_foreign then return false end
    if is_redisson then return call('HGET', key, owner) and true end
    return call('GET', key) == marker
  end

  -- Undefined where our hold has ended, or the tenure has.
  local function ends_at()
    local ends = is_in() and tonumber(call('HGET', holds, hold) or nil)
    return ends and ends >= now and ends or nil
  end

  -- Counts anew, with our hold until then, or without it. Nothing is left behind the last.
  local function settle(ends)
    local fields = call('HGETALL', holds)
    local counted, known, count, last = 0, 0, 0, 0
    if ends then
      call('HSET', holds, hold, ends)
      count, last = 1, ends
    end
    for n = 1, #fields, 2 do
      local field, at = fields[n], tonumber(fields[n + 1])
      if field == owner then
        counted = at or 0
      elseif string.find(field, OWN_FIELDS .. 'hold:', 1, true) == 1 then
        known = known + 1
        if field ~= hold and at >= now then
          count, last = count + 1, math.max(last, at)
        elseif field ~= hold or not ends then
          call('HDEL', holds, field)
        end
      end
    end
    local others = is_redisson and math.max(0, counted - known) or 0
    if count + others == 0 then
      call('DEL', key, holds)
      if is_redisson then lock.try('PUBLISH', channel, '0') end
      return
    end
    call('HSET', holds, owner, count + others)
    local left = last - now
    if not is_redisson then
      call('SET', key, marker, 'PX', math.max(1, left))
      call('PEXPIRE', holds, math.max(1, left))
    elseif others == 0 or left > call('PTTL', key) then
      call('PEXPIRE', key, math.max(1, left))
    end
  end

  -- Somebody's data may be a large hash: it is not read as a whole.
  local function refuse_hash()
    if is_foreign then return lock.foreign(key) end
    if call('EXISTS', key) == 0 then return 'F' end
    local left, label = call('PTTL', key), ''
    if left < 0 then return 'Thash without expiry' end
    local fields = call('HLEN', key) <= 1000 and call('HGETALL', key) or {}
    local is_of = {}
    for n = 1, #fields, 2 do
      if not tonumber(fields[n + 1]) and fields[n] ~= OWN_FIELDS .. 'drawn' then return 'Thash' end
      is_of[fields[n]] = true
    end
    for n = 1, #fields, 2 do
      local field = fields[n]
      if string.find(field, OWN_FIELDS, 1, true) ~= 1 then
        -- Who has no name has its ownerId, which is a secret but for the label behind it.
        local is_nameless = is_of[OWN_FIELDS .. 'hold:' .. field]
        label = is_nameless and string.sub(field, 24) or field
      end
    end
    return 'H' .. left .. ':' .. label
  end

  local self = { keeps_no_turn = is_redisson }

  function self.is_ours()
    return ends_at() ~= nil
  end

  function self.retime()
    settle(math.max(ends_at() or 0, now + lock.ttl))
  end

  function self.held_by()
    if is_redisson then return refuse_hash() end
    return lock.refuse(call('GET', key))
  end

  function self.take(is_acquire)
    if not is_in() then
      local holder = not is_redisson and call('GET', key)
      local is_turn = lock.inbox and holder == 'turn:' .. lock.inbox
      local refusal = not is_turn and self.held_by() or 'F'
      if refusal ~= 'F' then return refusal, string.sub(refusal, 1, 1) == 'T' end
      if is_acquire and lock.args[3] ~= '' then return 'F' end
      is_first = true
    end
    local ends = math.max(not is_first and ends_at() or 0, now + lock.ttl)
    if is_first and not is_redisson then
      -- Of another time. Not before the first command that takes memory: a node without any refuses
      -- nothing behind it.
      call('SET', key, marker, 'PX', lock.ttl)
      call('DEL', holds)
    end
    settle(ends)
  end

  function self.same_fence(draw)
    local fence = not is_first and call('HGET', holds, OWN_FIELDS .. 'fence')
    if fence then
      call('HDEL', holds, OWN_FIELDS .. 'drawn')
      return fence
    end
    local before = call('GET', lock.fence) or '0'
    fence = draw()
    call('HSET', holds, OWN_FIELDS .. 'fence', fence, OWN_FIELDS .. 'drawn', before .. ':' .. lock.owner)
    return fence
  end

  -- Another hold of the owner has brought the token here.
  function self.is_sealed(token)
    return call('HGET', holds, OWN_FIELDS .. 'fence') == token
  end

  -- Whether our hold drew the fence here, nobody was given it since, and the token is between what was
  -- counted before and the fence.
  local function is_drawn_for(token, fence)
    local before, drawer = string.match(call('HGET', holds, OWN_FIELDS .. 'drawn') or '', '^(%d+):(.*)$')
    if drawer ~= lock.owner or not fence then return false end
    return tonumber(before) <= tonumber(token) and tonumber(token) < tonumber(fence)
  end

  -- The fence is a token of ours, exactly: no other owner has counted since. Or it went beyond the token
  -- when our hold drew it. Who has run out meanwhile is not counted any more.
  function self.lifted(token)
    if token == '' or not is_in() then return end
    local fence = call('GET', lock.fence)
    if fence ~= token and not is_drawn_for(token, fence) then return end
    settle(ends_at())
    if is_in() then
      call('HSET', holds, OWN_FIELDS .. 'fence', token)
      call('HDEL', holds, OWN_FIELDS .. 'drawn')
    end
  end

  function self.drop()
    settle(nil)
  end

  -- Our hold has ended: it is not counted any more.
  function self.drop_rest()
    if is_in() then settle(nil) end
  end

  return self
end
