-- The lock key says when the lock ends, as hand-written code has it (SETNX, then GETSET once that
-- instant is over), by the node's clock and somewhat later than it does end here: the others read it
-- by clocks of their own. For the same reason their locks are over somewhat later than they say.
--
-- Ours has an expiry, which tells it from one that another has put in its place with the same
-- timestamp: SET and GETSET take the expiry away. The owner stands beside it, with the timestamp that
-- is its own. No turns are kept in the lock key, which others read as a number.
-- luacheck: read globals TIMESTAMP_MARGIN_MS

function layouts.timestamp(lock)
  local call, key, owner_key, layout = lock.call, lock.key, lock.keys[1], lock.args[1]
  local unit = layout == 'timestamp' and 1 or 1000
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)

  -- Who stands in it, if it is one of us.
  local function owner_of(holder)
    local stamp, owner = string.match(call('GET', owner_key) or '', '^(%d+) (.*)$')
    return stamp == holder and call('PTTL', key) >= 0 and owner or nil
  end

  local function is_ours(holder)
    return holder and owner_of(holder) == lock.owner
  end

  local function put()
    local stamp = string.format('%.0f', math.ceil((now + lock.ttl + TIMESTAMP_MARGIN_MS) / unit))
    call('SET', owner_key, stamp .. ' ' .. lock.owner, 'PX', lock.ttl)
    call('SET', key, stamp, 'PX', lock.ttl)
  end

  local self = { keeps_no_turn = true }

  function self.held_by()
    local kind = call('TYPE', key).ok
    if kind == 'none' then return 'F' end
    local holder = kind == 'string' and call('GET', key)
    if not holder or lock.unit_of(holder) ~= layout then return lock.foreign(key) end
    local left, pttl = math.ceil(tonumber(holder) * unit + TIMESTAMP_MARGIN_MS - now), call('PTTL', key)
    if pttl >= 0 and pttl < left then left = pttl end
    if left <= 0 then return 'F' end
    local owner = owner_of(holder) or ''
    local label = string.sub(owner, 23, 23) == ':' and string.sub(owner, 24) or ''
    return 'H' .. string.format('%.0f', left) .. ':' .. label
  end

  function self.is_ours()
    if call('TYPE', key).ok ~= 'string' then return false end
    return is_ours(call('GET', key)) or false
  end

  function self.retime()
    if lock.ttl > call('PTTL', key) then put() end
  end

  function self.take()
    if self.is_ours() then return self.retime() end
    local refusal = self.held_by()
    if refusal ~= 'F' then return refusal, string.sub(refusal, 1, 1) == 'T' end
    put()
  end

  function self.drop()
    call('DEL', key, owner_key)
  end

  -- Another's timestamp stands there: that is not ours to take away.
  function self.drop_rest()
    local stamp, owner = string.match(call('GET', owner_key) or '', '^(%d+) (.*)$')
    if owner == lock.owner then call('DEL', owner_key) end
  end

  return self
end
