-- The fences of a node: a table of buckets, in the hash that is its record. Each is an upper bound for every name in
-- it (lock.buckets lists the bucket of each name of a set), and no fence is above "top". "floor" is a lower bound for
-- every name: a node that lost its fences gets it from the others, see handshake.lua.
-- Numbers are compared as numbers and written with '%.0f': Lua prints 14 digits, a fence has 16, and
-- strings compare byte by byte.

local call = redis.call

local function is_below(fence, token)
  return not fence or tonumber(fence) < tonumber(token)
end

-- The highest of several.
local function last_fence(lock)
  local last
  for _, fence in ipairs(call('HMGET', KEYS[1], 'floor', unpack(lock.buckets))) do
    if fence and is_below(last, fence) then last = fence end
  end
  return last
end

local function is_behind(lock, token)
  return is_below(last_fence(lock), token)
end

local function write(buckets, fence)
  local fields = is_below(call('HGET', KEYS[1], 'top'), fence) and { 'top', fence } or {}
  for _, bucket in ipairs(buckets) do fields[#fields + 1], fields[#fields + 2] = bucket, fence end
  call('HSET', KEYS[1], unpack(fields))
end

local function store(lock, fence)
  write(lock.buckets, fence)
  return fence
end

return { last = last_fence, is_behind = is_behind, write = write, store = store }
