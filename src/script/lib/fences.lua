-- The fence of a name, or of each name of a set (lock.fences). ARGV[3] is how long they are kept.
-- Numbers are compared as numbers and written with '%.0f': Lua prints 14 digits, a fence has 16, and
-- strings compare byte by byte.
-- luacheck: read globals MAX_FENCE

local call = redis.call

-- The highest, of several.
local function last_fence(lock)
  local last
  for _, key in ipairs(lock.fences or { lock.fence_key }) do
    local fence = call('GET', key)
    if fence and (not last or tonumber(fence) > tonumber(last)) then last = fence end
  end
  return last
end

local function is_behind(lock, token)
  local fence = last_fence(lock)
  return not fence or tonumber(fence) < tonumber(token)
end

local function store(lock, fence)
  for _, key in ipairs(lock.fences or { lock.fence_key }) do call('SET', key, fence, 'PX', ARGV[3]) end
  return fence
end

-- Where it is lower: what stands in the others is not lowered.
local function lift(lock, token)
  if token == '' then return end
  for _, key in ipairs(lock.fences or { lock.fence_key }) do
    local fence = call('GET', key)
    if not fence or tonumber(fence) < tonumber(token) then call('SET', key, token, 'PX', ARGV[3]) end
  end
end

-- The fence of a grant: the proposal, not too far from the node's clock, or one above the last.
local function draw(lock)
  local fence, last = math.min(math.max(tonumber(lock.token), lock.low), lock.high), last_fence(lock)
  if last and tonumber(last) >= fence then fence = tonumber(last) + 1 end
  if fence > MAX_FENCE then
    if last then store(lock, last) end
    error('FENCE the fence would pass 2^53 - 1', 0)
  end
  return store(lock, string.format('%.0f', fence))
end

return { is_behind = is_behind, store = store, lift = lift, draw = draw }
