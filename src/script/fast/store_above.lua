-- Of a group of acquires that have just set their lock keys: stores the proposal for those whose fences are all below
-- it, and fills in their replies, after the n existing ones.
-- luacheck: read globals ARG_BUCKET ARG_FENCE

return function(replies, n, created, a, proposal)
  local set, buckets, fields, stored = {}, {}, {}, {}
  for m in pairs(created) do
    set[#set + 1], buckets[#buckets + 1] = m, ARGV[a + (m - 1) * ARG_FENCE + ARG_BUCKET]
  end
  local fences = redis.pcall('HMGET', KEYS[1], 'floor', unpack(buckets))
  if fences.err then return end
  local floor = tonumber(fences[1] or 0)
  for at, bucket in ipairs(buckets) do
    local last = tonumber(fences[at + 1] or 0)
    if last and floor and math.max(last, floor) < tonumber(proposal) then
      stored[#stored + 1], fields[#fields + 1], fields[#fields + 2] = set[at], bucket, proposal
    end
  end
  if #fields == 0 or type(redis.pcall('HSET', KEYS[1], unpack(fields))) ~= 'number' then return end
  for _, m in ipairs(stored) do replies[n + m] = 0 end
end
