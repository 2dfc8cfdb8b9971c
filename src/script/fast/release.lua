-- A group of releases of exclusive locks, if all are simple: held, the fence not below the token, the queue empty, and
-- observed by nobody.
-- luacheck: read globals ARG_BUCKET ARG_FENCE ARG_INBOX ARG_OWNER RECORD_KEY WAITING_KEY

local try = redis.pcall

-- Whether each has a fence that is not below its token; a release without one needs none.
local function are_lifted(tokens, buckets)
  if #tokens == 0 then return true end
  local fences = try('HMGET', KEYS[1], unpack(buckets))
  if fences.err then return false end
  for at, token in ipairs(tokens) do
    local fence = fences[at]
    if fence ~= token and (tonumber(fence or 0) or 0) < tonumber(token) then return false end
  end
  return true
end

-- On a Cluster, no key answers this for all names.
local function are_unwaited(keys, is_waited)
  if not is_waited and KEYS[1] == RECORD_KEY then return true end
  local companion, queues = require('lib.companion'), {}
  for at, key in ipairs(keys) do
    queues[2 * at - 1], queues[2 * at] = companion('queue', key), companion('watched', key)
  end
  return try('EXISTS', unpack(queues)) == 0
end

-- If all are simple, releases them and fills in the replies after the n existing ones.
return function(replies, n, size, k, a)
  local gone, tokens, buckets = {}, {}, {}
  local values = try('MGET', KEYS[1] == RECORD_KEY and WAITING_KEY or KEYS[k], unpack(KEYS, k, k + size - 1))
  if values.err then return false end
  for m = 1, size do
    local at, key = a + ARG_INBOX * (m - 1), KEYS[k + m - 1]
    if values[m + 1] ~= ARGV[at + ARG_OWNER] or gone[key] then return false end
    gone[key], gone[m] = true, key
    if ARGV[at + ARG_FENCE] ~= '' then
      tokens[#tokens + 1], buckets[#buckets + 1] = ARGV[at + ARG_FENCE], ARGV[at + ARG_BUCKET]
    end
  end
  if not are_lifted(tokens, buckets) or not are_unwaited(gone, values[1]) then return false end
  if type(try('DEL', unpack(gone))) ~= 'number' then return false end
  for m = 1, size do replies[n + m] = 0 end
  return true
end
