-- The one script for all operations: a list of operations in, a list of answers out.
--
-- KEYS[1]          the node's record, which has its fences; of a Cluster the fences of the hash slot
-- then, an operation: its keys
-- ARGV[1]          incarnation id the sender knows; "" does not compare it
-- ARGV[2]          how far a proposal may be from the node's clock, microseconds
-- then, a group of operations that are alike:
--                  step, kind of lock, ttl in ms (of "close": what the key may still live), size, how many
--                  keys and how many arguments each has, the proposal of acquires that bring none of their
--                  own; and an operation: its arguments
--
-- Which steps there are, and which keys and arguments they have: operation-shape.ts, from which the places
-- KEY_... and ARG_... come, too.
--
-- Returns the number of operations if the answer to each is 0, as it usually is: a list costs the
-- client more to read than all else. Otherwise a list: 1, or 0 if an acquire found another
-- incarnation than the sender's (batches without one do not look: their matches prove memory), then
-- one value an operation:
--   0                        granted; by an acquire: with the proposal as its fence
--   "<fence>"                granted with this fence
--   "granted <fence> <p> <w>"  the same to one who waits or takes over; p: 1 if the key was the previous
--                            owner's, w: 1 if others stand in the queue
--   "held <ms> <signs> <label>"    refused, held by another for so long yet; see lib/standing.lua
--   "shared <ms> <signs>"          refused, held by readers
--   "taken <ms> <digits> <signs>"  refused, the permit is another's: how long until the first of all ends, and
--                            which are taken (a hexadecimal digit for every four)
--   "free"                   refused, the key is free
--   "ended"                  to a heal or an acquire: an operator has ended this lock
--   "foreign <n> <what>"     refused, the key of the n-th name holds a lock in the layout of that name, or
--                            data of a type
--   "places ..."             of a refresh, see steps/refresh.lua
--   "forgot"                 not executed: the node forgot
--   "error <message>"        error of this operation alone
--   { ... }                  of an inspect, see steps/inspect.lua
--
-- What is plain (an acquire of a free key, extends and releases of locks that are held) is done here, with
-- as few commands and as little else as possible: one command an acquire and one more for a group of them,
-- the same for extends, three for all releases of a group. What is not goes through the slow path, which can
-- do everything, one operation at a time; it is loaded only when it is needed.
-- luacheck: read globals ARG_INBOX ENDED_KEY

local args, tonumber, try, known, replies = ARGV, tonumber, redis.pcall, ARGV[1], { 1 }
local low, high, top, is_wary, refusal, slow_path

local n, k, at = 1, 2, 3
while args[at] do
  local step, kind, ttl, size = args[at], args[at + 1], args[at + 2], tonumber(args[at + 3])
  local key_step, arg_step, proposal = tonumber(args[at + 4]), tonumber(args[at + 5]), args[at + 6]
  at = at + 7
  local is_plain, is_acquire = kind == 'exclusive' and arg_step <= ARG_INBOX, step == 'acquire'
  local is_done, created = false, nil

  -- Once a call: whether the node remembers, which proposals its clock allows, its highest fence, and whether
  -- there are locks that an operator has ended.
  if is_acquire and not low then
    local record, time = try('HMGET', KEYS[1], 'id', 'top'), try('TIME')
    -- Not allowed to look is not the same as gone.
    local is_denied = record.err and not string.find(record.err, 'WRONGTYPE', 1, true)
    if is_denied or time.err then
      refusal, time = 'error ' .. (time.err or record.err), { 0, 0 }
    elseif known ~= '' and record[1] ~= known then
      refusal, replies[1] = 'forgot', 0
    end
    local now, slack = tonumber(time[1]) * 1000000 + tonumber(time[2]), tonumber(args[2])
    low, high, top = now - slack, now + slack, tonumber(record[2] or 0)
    is_wary = known ~= '' and try('EXISTS', ENDED_KEY) == 1
  end

  if is_acquire and refusal then
    for m = 1, size do replies[n + m] = refusal end
    is_done = true
  elseif is_plain and is_acquire and not is_wary then
    created, top = require('fast.acquire')(replies, n, ttl, size, k, at, proposal, low, high, top)
  elseif is_plain and step == 'extend' then
    require('fast.extend')(replies, n, ttl, size, k, at)
  elseif is_plain and step == 'release' then
    is_done = require('fast.release')(replies, n, size, k, at)
  end

  for m = is_done and size or 0, size - 1 do
    if not replies[n + m + 1] then
      slow_path = slow_path or require('slow_path')
      local k_of, a_of = k + m * key_step, at + m * arg_step
      local k_end, a_end, is_created = k_of + key_step - 1, a_of + arg_step - 1, created and created[m]
      replies[n + m + 1] =
        slow_path(step, kind, ttl, proposal, is_created, k_of, k_end, a_of, a_end, low, high, is_wary)
      -- It may have stored a higher one.
      top = nil
    end
  end
  if step == 'revoke' then is_wary = known ~= '' end
  n, k, at = n + size, k + size * key_step, at + size * arg_step
end
for m = 2, n do
  if replies[m] ~= 0 or replies[1] == 0 then return replies end
end
return n - 1
