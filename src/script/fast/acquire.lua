-- An acquire of a plain mutex that nobody holds. Stores the fence before it compares it with the one that
-- was there, because that takes one command nearly always; servers before Redis 6.2 refuse it.
-- luacheck: read globals KEY_LOCK KEY_FENCE ARG_OWNER ARG_FENCE MAX_FENCE

-- Nothing where it is not as plain as that; and whether the lock key has just been set.
return function(ttl, k, a, low, high)
  local try, keys, args = redis.pcall, KEYS, ARGV
  local token = args[a + ARG_FENCE]
  local set = try('SET', keys[k + KEY_LOCK], args[a + ARG_OWNER], 'NX', 'PX', ttl)
  if not (set and set.ok) then return nil, false end
  local fence = tonumber(token)
  if not fence then return 0, true end
  if fence < low or fence > high then return nil, true end
  local fence_key, retention = keys[k + KEY_FENCE], args[3]
  local before = try('SET', fence_key, token, 'PX', retention, 'GET')
  local old = not before and 0 or tonumber(before)
  if not old then return nil, true end
  if old < fence then return 0, true end
  if old < MAX_FENCE then
    local drawn = string.format('%.0f', old + 1)
    try('SET', fence_key, drawn, 'PX', retention)
    return drawn, true
  end
  try('SET', fence_key, before, 'PX', retention)
  return nil, true
end
