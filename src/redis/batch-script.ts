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
 * Returns 1, or 0 if an acquire found another incarnation than the sender's (batches without one do
 * not look: their matches prove memory), then two values an operation:
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
local slack, retention = tonumber(ARGV[2]), ARGV[3]
local known, now_us, created

local function refuse(key, holder)
  local pttl = call('PTTL', key)
  if pttl < 0 then return 4, 'string without expiry' end
  local label = string.sub(holder, 23, 23) == ':' and string.sub(holder, 24) or ''
  return 2, pttl .. ':' .. label
end

-- Never shortens.
local function retime(key, ttl)
  if tonumber(ttl) > call('PTTL', key) then call('PEXPIRE', key, ttl) end
end

local function step(k, a)
  local op, key, owner = ARGV[a], KEYS[k], ARGV[a + 1]

  if op == 'A' then
    if known == nil then
      known = ARGV[1] == '' or redis.pcall('HGET', KEYS[1], 'id') == ARGV[1]
    end
    if not known then return 5, '' end
    if call('SET', key, owner, 'NX', 'PX', ARGV[a + 2]) then
      created = key
    else
      local holder = call('GET', key)
      if holder ~= owner then return refuse(key, holder) end
    end
    local given = ARGV[a + 3]
    if given == '' then
      if not created then retime(key, ARGV[a + 2]) end
      return 1, 0
    end
    if not now_us then
      local t = call('TIME')
      now_us = t[1] * 1000000 + t[2]
    end
    local proposal = tonumber(given)
    local fence, last = proposal, call('GET', KEYS[k + 1])
    if fence < now_us - slack then fence = now_us - slack end
    if fence > now_us + slack then fence = now_us + slack end
    if last and tonumber(last) >= fence then fence = tonumber(last) + 1 end
    if fence > 9007199254740991 then error('FENCE the fence would pass 2^53 - 1', 0) end
    if fence ~= proposal then given = string.format('%.0f', fence) end
    call('PSETEX', KEYS[k + 1], retention, given)
    if not created then retime(key, ARGV[a + 2]) end
    return 1, given
  end

  local token, holder, fence = ARGV[a + 3]
  if token == '' or op == 'E' then
    holder = call('GET', key)
  else
    local both = call('MGET', key, KEYS[k + 1])
    -- MGET says nothing of a key of another type; GET answers with the error.
    holder, fence = both[1] or call('GET', key), both[2]
    local is_behind = fence ~= token and (not fence or tonumber(fence) < tonumber(token))
    if op == 'S' then
      if holder == owner and not is_behind then return 2, '0:' end
      is_behind = holder == owner
    end
    -- Before the fence is lifted: a node that is out of memory refuses that, and must let go.
    if op == 'R' and holder == owner then call('DEL', key) end
    if is_behind then call('PSETEX', KEYS[k + 1], retention, token) end
  end

  if not holder then
    if op ~= 'H' then return 3, '' end
    call('SET', key, owner, 'PX', ARGV[a + 2])
  elseif holder ~= owner then
    return refuse(key, holder)
  elseif op == 'R' and token == '' then
    call('DEL', key)
  elseif op == 'E' then
    retime(key, ARGV[a + 2])
  elseif op == 'S' then
    return 1, token
  end
  return 1, 0
end

local replies = { 1 }
for k = 2, #KEYS, 2 do
  created = nil
  local ok, status, detail = pcall(step, k, 2 * k)
  if not ok then
    if created then redis.pcall('DEL', created) end
    local message = type(status) == 'table' and status.err or tostring(status)
    if string.find(message, 'WRONGTYPE', 1, true) then
      local kind = redis.pcall('TYPE', KEYS[k])
      status, detail = 4, type(kind) == 'table' and kind.ok or 'data of another type'
    else
      status, detail = 6, message
    end
  end
  replies[k], replies[k + 1] = status, detail
end
if known == false then replies[1] = 0 end
return replies
`;

/** By which the server knows {@link BATCH_SCRIPT} once it has seen it. */
export const BATCH_SHA = createHash("sha1").update(BATCH_SCRIPT).digest("hex");
