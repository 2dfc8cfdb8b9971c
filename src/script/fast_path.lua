-- The end of the script: all operations of a call, what is plain at once, the rest by `careful`.
-- luacheck: read globals ENDED_KEY

-- n: operations that are done, and one; n + m: the same within a group. The simulator looks there, too.
local n, k, at = 1, 2, 4
while args[at] do
  local code, ttl, size, kind = args[at], args[at + 1], tonumber(args[at + 2]), nil
  local key_step, arg_step = 2, 2
  if code == 'X' then
    code, kind = args[at + 3], args[at + 4]
    key_step, arg_step = tonumber(args[at + 5]), tonumber(args[at + 6])
    at = at + 4
  elseif code == 'W' or code == 'B' or code == 'T' or code == 'L' then
    key_step, arg_step = 3, 5
  elseif code == 'R' then
    key_step = 3
  elseif code == 'E' then
    key_step, arg_step = 1, 1
  elseif code == 'O' then
    key_step, arg_step = 3, 7
  elseif code == 'K' then
    key_step = 3
  end
  at = at + 3
  local is_acquire, is_plain = code == 'A' or code == 'W' or code == 'O', false

  if is_acquire and known == nil then
    local id, time = args[1] == '' or try('HGET', keys[1], 'id'), try('TIME')
    known = id == true or id == args[1]
    -- Not allowed to look is not the same as gone.
    local is_denied = type(id) == 'table' and string.find(id.err, 'NOPERM', 1, true)
    if is_denied or time.err then
      known, unreadable, time = false, 'E' .. (time.err or id.err), { 0, 0 }
    elseif not known then
      replies[1] = 0
    end
    local slack = tonumber(args[2])
    local now = time[1] * 1000000 + time[2]
    low, high = now - slack, now + slack
    is_wary = args[1] ~= '' and try('EXISTS', ENDED_KEY) == 1
  end

  if code == 'R' and not kind then
    local values, gone, queues = try('MGET', unpack(keys, k, k + 3 * size - 1)), {}, {}
    is_plain = not values.err
    for m = 1, is_plain and size or 0 do
      local of, token = 3 * m - 2, args[at + 2 * m - 1]
      local key, fence = keys[k + of - 1], values[of + 1]
      local is_lifted = fence == token or token == '' or (fence and (tonumber(fence) or 0) >= tonumber(token))
      is_plain = is_lifted and values[of] == args[at + 2 * m - 2] and not gone[key]
      if not is_plain then break end
      gone[key], gone[m], queues[m], replies[n + m] = true, key, keys[k + of + 1], 0
    end
    is_plain = is_plain and try('EXISTS', unpack(queues)) == 0
    is_plain = is_plain and type(try('DEL', unpack(gone))) == 'number'
  end

  if code == 'E' and not kind then
    local values, can_compare = try('MGET', unpack(keys, k, k + size - 1)), true
    is_plain = not values.err
    for m = 0, is_plain and size - 1 or -1 do
      local kk, aa, reply = k + m, at + m, nil
      if can_compare and values[m + 1] == args[aa] then
        can_compare = type(try('PEXPIRE', keys[kk], ttl, 'GT')) == 'number'
        reply = can_compare and 0
      end
      replies[n + m + 1] = reply or careful(code, ttl, kk, aa)
    end
  end

  for m = 0, is_plain and -1 or size - 1 do
    local kk, aa = k + m * key_step, at + m * arg_step
    local reply, is_created
    if is_acquire and not known then
      reply = unreadable or 'Q'
    elseif code == 'A' and not kind and not is_wary then
      local set = try('SET', keys[kk], args[aa], 'NX', 'PX', ttl)
      is_created = set and set.ok
      local given = args[aa + 1]
      local fence = tonumber(given)
      if is_created and not fence then
        reply = 0
      elseif is_created and fence >= low and fence <= high then
        local fence_key = keys[kk + 1]
        local before = try('SET', fence_key, given, 'PX', retention, 'GET')
        local old = not before and 0 or tonumber(before)
        if old and old < fence then
          reply = 0
        elseif old and old < 9007199254740991 then
          reply = format('%.0f', old + 1)
          try('SET', fence_key, reply, 'PX', retention)
        elseif old then
          try('SET', fence_key, before, 'PX', retention)
        end
      end
    end
    replies[n + m + 1] = reply
      or careful(code, ttl, kk, aa, is_created, kind, kk + key_step - 1, aa + arg_step - 1)
  end
  n, k, at = n + size, k + size * key_step, at + size * arg_step
end
for m = 2, n do
  if replies[m] ~= 0 or replies[1] == 0 then return replies end
end
return n - 1
