-- A group of acquires of free exclusive locks. A proposal above every fence of the node is stored without reading the
-- old values, which is nearly always possible.
-- luacheck: read globals ARG_BUCKET ARG_FENCE ARG_OWNER KEYS_OF_ALL

-- Fills in the replies of the simple cases, after the n existing ones. Returns which lock keys have just been set, by
-- the index of each in the group, and the highest fence of the node.
return function(replies, n, ttl, size, k, a, proposal, now_us, top)
  local try, created, fields = redis.pcall, {}, { 'top', proposal }
  for m = 1, size do
    local a_of = a + (m - 1) * ARG_FENCE
    local set = try('SET', KEYS[k + (m - 1) * KEYS_OF_ALL], ARGV[a_of + ARG_OWNER], 'NX', 'PX', ttl)
    if set and set.ok then
      created[m], fields[#fields + 1], fields[#fields + 2] = true, ARGV[a_of + ARG_BUCKET], proposal
    end
  end
  local fence = tonumber(proposal)
  if fence and fields[3] then
    top = top or tonumber(try('HGET', KEYS[1], 'top') or 0)
    if not top or math.abs(fence - now_us) > tonumber(ARGV[2]) then return created, top end
    if fence <= top then
      require('fast.store_above')(replies, n, created, a, proposal)
      return created, top
    end
    if type(try('HSET', KEYS[1], unpack(fields))) ~= 'number' then return created, top end
    top = fence
  end
  for m in pairs(created) do replies[n + m] = 0 end
  return created, top
end
