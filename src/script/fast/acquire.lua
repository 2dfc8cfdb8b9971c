-- A group of acquires of free exclusive locks. A proposal above every fence of the node is stored without reading the
-- old values, which is nearly always possible.
-- luacheck: read globals ARG_BUCKET ARG_FENCE ARG_OWNER KEYS_OF_ALL

-- Stores the proposal for those whose fences are all below it. Returns these.
local function store_above(group, buckets, proposal)
  local fences = redis.pcall('HMGET', KEYS[1], 'floor', unpack(buckets))
  if fences.err then return {} end
  local fields, stored, floor = {}, {}, tonumber(fences[1] or 0)
  for at, bucket in ipairs(buckets) do
    local last = tonumber(fences[at + 1] or 0)
    if last and floor and math.max(last, floor) < tonumber(proposal) then
      stored[#stored + 1], fields[#fields + 1], fields[#fields + 2] = group[at], bucket, proposal
    end
  end
  return #fields > 0 and type(redis.pcall('HSET', KEYS[1], unpack(fields))) == 'number' and stored or {}
end

-- Fills in the replies of the simple cases, after the n existing ones. Takes, by the index of each (from 0), whether
-- its lock key has just been set, and the highest fence of the node.
return function(replies, n, ttl, size, k, a, proposal, low, high, top)
  local try, keys, args, created, group, buckets = redis.pcall, KEYS, ARGV, {}, {}, {}
  local fields = { 'top', proposal }
  for m = 0, size - 1 do
    local a_of = a + m * ARG_FENCE
    local set = try('SET', keys[k + m * KEYS_OF_ALL], args[a_of + ARG_OWNER], 'NX', 'PX', ttl)
    if set and set.ok then
      local at, bucket = #group + 1, args[a_of + ARG_BUCKET]
      created[m], group[at], buckets[at], fields[2 * at + 1], fields[2 * at + 2] = true, m, bucket, bucket, proposal
    end
  end
  local fence = tonumber(proposal)
  if fence and #group > 0 then
    top = top or tonumber(try('HGET', KEYS[1], 'top') or 0)
    if not top or fence < low or fence > high then return created, top end
    if fence <= top then
      group = store_above(group, buckets, proposal)
    elseif type(try('HSET', KEYS[1], unpack(fields))) == 'number' then
      top = fence
    else
      return created, top
    end
  end
  for _, m in ipairs(group) do replies[n + m + 1] = 0 end
  return created, top
end
