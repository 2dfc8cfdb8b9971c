import { createHash } from "node:crypto";

/**
 * The one script for all operations: a list of operations in, a list of answers out.
 *
 * KEYS[1]          the node's record
 * KEYS[2n, 2n+1]   lock key and fence key of operation n
 * ARGV[1]          incarnation id the sender knows; "" does not compare it
 * ARGV[2]          how far a proposal may be from the node's clock, microseconds
 * ARGV[3]          retention of fence keys, ms
 * then, a group of operations of one kind and ttl:
 *                  code, ttl in ms, size, and an operation: ownerId, fence (proposal or token; ""
 *                  without fencing)
 *
 * Returns 1, or 0 if an acquire found another incarnation than the sender's (batches without one do
 * not look: their matches prove memory), then one value an operation:
 *   0                    granted; by an acquire: with the proposal as its fence
 *   "<fence>"            granted with this fence
 *   "H<pttl>:<label>"    refused, held by another
 *   "F"                  refused, the key is free
 *   "T<type>"            refused, the key holds something that is no lock
 *   "Q"                  not executed: the node forgot
 *   "E<message>"         error of this operation alone
 *
 * An operation that fails answers for itself and touches no other. What is plain (an acquire of a
 * free key, releases of locks that are held) is done in the loop at the end, with as few commands
 * and as little else as possible: two commands an acquire, two for all releases of a group. What is
 * not goes through `careful`, which can do everything, one operation at a time; its functions are
 * made only when it is called.
 *
 * A plain acquire stores its fence before it compares it with the one that was there, because that
 * takes one command nearly always (`SET ... GET`; servers before Redis 6.2 refuse it, and `careful`
 * does it in two).
 *
 * Numbers are written with '%.0f' and compared as numbers: Lua prints 14 digits, a fence has 16,
 * and strings compare byte by byte.
 */
export const BATCH_SCRIPT = /* lua */ `
local try, keys, args, tonumber, format = redis.pcall, KEYS, ARGV, tonumber, string.format
local retention, replies = args[3], { 1 }
local known, unreadable, low, high

-- is_created: the lock key of this acquire has just been set.
local function careful(code, key, fence_key, owner, given, ttl, is_created)
  local call = redis.call

  local function refuse(holder)
    if not holder then return 'F' end
    local pttl = call('PTTL', key)
    if pttl < 0 then return 'Tstring without expiry' end
    return 'H' .. pttl .. ':' .. (string.sub(holder, 23, 23) == ':' and string.sub(holder, 24) or '')
  end

  -- Never shortens.
  local function retime()
    if tonumber(ttl) > call('PTTL', key) then call('PEXPIRE', key, ttl) end
  end

  local function is_behind()
    local fence = call('GET', fence_key)
    return not fence or tonumber(fence) < tonumber(given)
  end

  local function store(fence)
    call('SET', fence_key, fence, 'PX', retention)
    return fence
  end

  local function next_fence()
    local fence, last = math.min(math.max(tonumber(given), low), high), call('GET', fence_key)
    if last and tonumber(last) >= fence then fence = tonumber(last) + 1 end
    if fence > 9007199254740991 then error('FENCE the fence would pass 2^53 - 1', 0) end
    return format('%.0f', fence)
  end

  local function step()
    if code == 'A' and not is_created then is_created = call('SET', key, owner, 'NX', 'PX', ttl) end
    local holder = call('GET', key)
    local is_ours = holder == owner
    if code == 'A' then
      if not is_ours then return refuse(holder) end
      local reply = given == '' and 0 or store(next_fence())
      retime()
      return reply
    elseif code == 'S' then
      if not is_ours then return refuse(holder) end
      return is_behind() and store(given) or 'H0:'
    elseif code == 'E' then
      if not is_ours then return refuse(holder) end
      retime()
      return 0
    end
    -- Before the fence is lifted: a node that is out of memory refuses that, and must let go.
    if code == 'R' and is_ours then call('DEL', key) end
    if given ~= '' and is_behind() then store(given) end
    if code == 'H' and not holder then
      call('SET', key, owner, 'PX', ttl)
    elseif not is_ours then
      return refuse(holder)
    end
    return 0
  end

  local ok, reply = pcall(step)
  if ok then return reply end
  if is_created then try('DEL', key) end
  local message = type(reply) == 'table' and reply.err or tostring(reply)
  if string.find(message, 'WRONGTYPE', 1, true) then
    local kind = try('TYPE', key).ok or 'data of another type'
    if kind ~= 'none' and kind ~= 'string' then return 'T' .. kind end
  end
  return 'E' .. message
end

local n, at, operation_count = 1, 4, (#keys - 1) / 2
while n <= operation_count do
  local code, ttl, size = args[at], args[at + 1], tonumber(args[at + 2])
  local last, is_plain = n + size - 1, false
  at = at + 3

  if code == 'A' and known == nil then
    local id, time = args[1] == '' or try('HGET', keys[1], 'id'), try('TIME')
    known = id == true or id == args[1]
    -- Not allowed to look is not the same as gone.
    local is_denied = type(id) == 'table' and string.find(id.err, 'NOPERM', 1, true)
    if is_denied or time.err then
      known, unreadable, time = false, 'E' .. (time.err or id.err), { 0, 0 }
    elseif not known then
      replies[1] = 0
    end
    local slack = tonumber(args[2])
    local now = time[1] * 1000000 + time[2]
    low, high = now - slack, now + slack
  end

  if code == 'R' then
    local values = try('MGET', unpack(keys, 2 * n, 2 * last + 1))
    is_plain = not values.err
    local gone, of, arg = {}, 1, at
    for k = 2 * n, 2 * last, 2 do
      local token, fence = args[arg + 1], values[of + 1]
      local is_lifted = fence == token or token == '' or (fence and (tonumber(fence) or 0) >= tonumber(token))
      is_plain = is_plain and is_lifted and values[of] == args[arg] and not gone[keys[k]]
      if not is_plain then break end
      gone[keys[k]], gone[(of + 1) / 2] = true, keys[k]
      replies[k / 2 + 1] = 0
      of, arg = of + 2, arg + 2
    end
    is_plain = is_plain and type(try('DEL', unpack(gone))) == 'number'
  end

  for m = n, is_plain and 0 or last do
    local key, fence_key, owner, given = keys[2 * m], keys[2 * m + 1], args[at], args[at + 1]
    at = at + 2
    local reply, is_created
    if code == 'A' and not known then
      reply = unreadable or 'Q'
    elseif code == 'A' then
      local set = try('SET', key, owner, 'NX', 'PX', ttl)
      is_created = set and set.ok
      local fence = tonumber(given)
      if is_created and not fence then
        reply = 0
      elseif is_created and fence >= low and fence <= high then
        local before = try('SET', fence_key, given, 'PX', retention, 'GET')
        local old = not before and 0 or tonumber(before)
        if old and old < fence then
          reply = 0
        elseif old and old < 9007199254740991 then
          reply = format('%.0f', old + 1)
          try('SET', fence_key, reply, 'PX', retention)
        elseif old then
          try('SET', fence_key, before, 'PX', retention)
        end
      end
    end
    replies[m + 1] = reply or careful(code, key, fence_key, owner, given, ttl, is_created)
  end
  if is_plain then at = at + 2 * size end
  n = last + 1
end
return replies
`;

/** By which the server knows {@link BATCH_SCRIPT} once it has seen it. */
export const BATCH_SHA = createHash("sha1").update(BATCH_SCRIPT).digest("hex");
