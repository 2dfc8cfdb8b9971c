-- A group of acquires of free exclusive locks. A proposal above every fence of the node is stored without reading the
-- old values, which is nearly always possible.
-- luacheck: read globals ARG_BUCKET ARG_FENCE ARG_OWNER FENCE_STEP KEYS_OF_ALL

-- Fills in the replies of the simple cases, after the n existing ones. Returns which lock keys of the others have just
-- been set, by the index of each in the group, or nothing; and the highest fence of the node, if it is known.
return function(replies, n, ttl, size, k, a, proposal, now_us, top)
  local try, fields = redis.pcall, { 'top', proposal }
  for m = 1, size do
    local a_of = a + (m - 1) * ARG_FENCE
    local set = try('SET', KEYS[k + (m - 1) * KEYS_OF_ALL], ARGV[a_of + ARG_OWNER], 'NX', 'PX', ttl)
    if set and set.ok then
      replies[n + m] = 0
      fields[#fields + 1], fields[#fields + 2] = ARGV[a_of + ARG_BUCKET], proposal
    end
  end
  local fence = tonumber(proposal)
  if not fence or not fields[3] then return nil, top end
  top = top or tonumber(try('HGET', KEYS[1], 'top') or 0)
  local is_near = top and math.abs(fence - now_us) <= tonumber(ARGV[2]) and fence % FENCE_STEP == 0
  if is_near and fence > top and type(try('HSET', KEYS[1], unpack(fields))) == 'number' then return nil, fence end
  local created = {}
  for m = 1, size do
    if replies[n + m] then created[m], replies[n + m] = true, nil end
  end
  if is_near and fence <= top then require('fast.store_above')(replies, n, created, a, proposal) end
  return created, top
end
