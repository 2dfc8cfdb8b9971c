import { createHash } from "node:crypto";

/**
 * The one script for all operations: a list of operations in, a list of answers out.
 *
 * KEYS[1]          the node's record
 * KEYS[2n, 2n+1]   lock key and fence key of operation n
 * ARGV[1]          incarnation id the sender knows; "" does not compare it
 * ARGV[2]          how far a proposal may be from the node's clock, microseconds
 * ARGV[3]          retention of fence keys, ms
 * ARGV[4n .. 4n+3] code, ownerId, ttl in ms, fence (proposal or token; "" without fencing)
 *
 * Returns 1 or 0 (whether the incarnation is the sender's), then two values an operation:
 *   1, fence                    granted
 *   2, "<pttl>:<label>"         refused, held by another
 *   3, ""                       refused, the key is free
 *   4, type                     refused, the key holds something that is no lock
 *   5, ""                       not executed: the node forgot
 *   6, message                  error of this operation alone
 *
 * Every operation runs under its own pcall: one that fails answers for itself and touches no other.
 * Numbers are written with '%.0f' and compared as numbers: Lua prints 14 digits, a fence has 16,
 * and strings compare byte by byte.
 */
export const BATCH_SCRIPT = /* lua */ `
local call = redis.call
local known = 1
if ARGV[1] ~= '' then
  local id = redis.pcall('HGET', KEYS[1], 'id')
  if id ~= ARGV[1] then known = 0 end
end
local slack, retention = tonumber(ARGV[2]), ARGV[3]
local now_us

local function time_us()
  if not now_us then
    local t = call('TIME')
    now_us = t[1] * 1000000 + t[2]
  end
  return now_us
end

local function store_fence(key, fence)
  call('SET', key, string.format('%.0f', fence), 'PX', retention)
end

local function lift_fence(key, token)
  if token == '' then return end
  token = tonumber(token)
  local fence = call('GET', key)
  if not fence or tonumber(fence) < token then store_fence(key, token) end
end

local function refuse(key, holder)
  local pttl = call('PTTL', key)
  if pttl < 0 then return 4, 'string without expiry' end
  local label = string.sub(holder, 23, 23) == ':' and string.sub(holder, 24) or ''
  return 2, pttl .. ':' .. label
end

local function acquire(key, fence_key, owner, ttl, proposal)
  if known == 0 then return 5, '' end
  local holder = call('GET', key)
  ttl = tonumber(ttl)
  if holder then
    if holder ~= owner then return refuse(key, holder) end
    local pttl = call('PTTL', key)
    if pttl > ttl then ttl = pttl end
  end
  local fence = 0
  if proposal ~= '' then
    local now = time_us()
    fence = math.min(math.max(tonumber(proposal), now - slack), now + slack)
    local last = call('GET', fence_key)
    if last then fence = math.max(tonumber(last) + 1, fence) end
    if fence > 9007199254740991 then return 6, 'FENCE the fence would pass 2^53 - 1' end
    store_fence(fence_key, fence)
  end
  call('SET', key, owner, 'PX', ttl)
  return 1, fence
end

local function seal(key, fence_key, owner, ttl, token)
  local holder = call('GET', key)
  if not holder then return 3, '' end
  if holder ~= owner then return refuse(key, holder) end
  local fence = call('GET', fence_key)
  token = tonumber(token)
  if fence and tonumber(fence) >= token then return 2, '0:' end
  store_fence(fence_key, token)
  return 1, token
end

local function extend(key, fence_key, owner, ttl)
  local holder = call('GET', key)
  if not holder then return 3, '' end
  if holder ~= owner then return refuse(key, holder) end
  if tonumber(ttl) > call('PTTL', key) then call('PEXPIRE', key, ttl) end
  return 1, 0
end

local function heal(key, fence_key, owner, ttl, token)
  local holder = call('GET', key)
  lift_fence(fence_key, token)
  if not holder then
    call('SET', key, owner, 'PX', ttl)
  elseif holder ~= owner then
    return refuse(key, holder)
  end
  return 1, 0
end

local function release(key, fence_key, owner, ttl, token)
  lift_fence(fence_key, token)
  local holder = call('GET', key)
  if not holder then return 3, '' end
  if holder ~= owner then return refuse(key, holder) end
  call('DEL', key)
  return 1, 0
end

local steps = { A = acquire, S = seal, E = extend, H = heal, R = release }
local replies = { known }
for n = 1, (#KEYS - 1) / 2 do
  local a = 4 * n
  local ok, status, detail =
    pcall(steps[ARGV[a]], KEYS[2 * n], KEYS[2 * n + 1], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3])
  if not ok then
    local message = type(status) == 'table' and status.err or tostring(status)
    if string.find(message, 'WRONGTYPE', 1, true) then
      local kind = redis.pcall('TYPE', KEYS[2 * n])
      status, detail = 4, type(kind) == 'table' and kind.ok or 'data of another type'
    else
      status, detail = 6, message
    end
  end
  replies[2 * n], replies[2 * n + 1] = status, detail
end
return replies
`;

/** By which the server knows {@link BATCH_SCRIPT} once it has seen it. */
export const BATCH_SHA = createHash("sha1").update(BATCH_SCRIPT).digest("hex");
