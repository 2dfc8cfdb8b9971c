-- A group of releases of exclusive locks, if all are simple: held, the fence not below the token, the queue empty, and
-- observed by nobody.
-- luacheck: read globals ARG_BUCKET ARG_FENCE ARG_INBOX ARG_OWNER RECORD_KEY WAITING_KEY

-- If all are simple, releases them and fills in the replies after the n existing ones.
return function(replies, n, size, k, a)
  local try, last, tokens, buckets, seen = redis.pcall, k + size - 1, {}, {}, size > 1 and {}
  local is_one_queue = KEYS[1] == RECORD_KEY
  local values = try('MGET', is_one_queue and WAITING_KEY or KEYS[k], unpack(KEYS, k, last))
  if values.err then return false end
  for m = 1, size do
    local at, key = a + ARG_INBOX * (m - 1), KEYS[k + m - 1]
    if values[m + 1] ~= ARGV[at + ARG_OWNER] or seen and seen[key] then return false end
    if seen then seen[key] = true end
    if ARGV[at + ARG_FENCE] ~= '' then
      tokens[#tokens + 1], buckets[#buckets + 1] = ARGV[at + ARG_FENCE], ARGV[at + ARG_BUCKET]
    end
  end
  buckets[#buckets + 1] = 'observed'
  local fences = try('HMGET', KEYS[1], unpack(buckets))
  if fences.err then return false end
  for at, token in ipairs(tokens) do
    local fence = fences[at]
    if fence ~= token and (tonumber(fence or 0) or 0) < tonumber(token) then return false end
  end
  -- On a Cluster, no key says for all names whether anybody waits.
  local may_be_waited_for = values[1] or not is_one_queue
  if may_be_waited_for and not require('fast.has_none_beside')(k, last, 'queue') then return false end
  local observed = fences[#buckets] or ''
  if observed ~= '' and require('fast.is_observed')(observed, size, k, a, ARG_INBOX) then return false end
  if type(try('DEL', unpack(KEYS, k, last))) ~= 'number' then return false end
  for m = 1, size do replies[n + m] = 0 end
  return true
end
