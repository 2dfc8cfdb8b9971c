-- The one script for all operations: a list of operations in, a list of answers out.
--
-- KEYS[1]          the node's record, which has its fences; on a Cluster the fences of the hash slot
-- then, per operation: its keys
-- ARGV[1]          incarnation id that the sender knows; "" skips the comparison
-- ARGV[2]          how far a proposal may be from the node's clock, microseconds
-- ARGV[3]          number of this call, above 0, which the reply repeats: connections can mix up replies
-- then, per group of operations that are alike:
--                  size, step, kind of lock, ttl in ms (of "close": the remaining life of the key), number
--                  of keys and of arguments of each, the proposal for acquires without one of their
--                  own, and for who is granted the name by a release; and per operation: its arguments
--
-- The steps, with their keys and arguments, are defined in batch-encoder.ts, which also provides the constants
-- KEY_... and ARG_....
--
-- Returns the number of the call if the answer to each operation is 0, as it usually is: parsing a list costs the
-- client more than everything else. Otherwise a list: the number of the call, negative if an acquire found another
-- incarnation than the sender's (batches without one do not look: their matches prove memory), then one value per
-- operation:
--   0                        granted; by an acquire: with the proposal as its fence
--   "<fence>"                granted with this fence
--   "granted <fence> <p> <w>"  the same to a waiter or an adoption; p: 1 if the key was the previous
--                            owner's, w: 1 if other processes are in the queue
--   "waited <n> ..."         to a "count", an acquire that asks how many wait: n, and then the refusal
--   "name <n> held ..."      of a set: refused because of its n-th name, as follows
--   "held <ms> <beginning> <signs> <label>"  refused, held by another client for ms: the beginning of its ownerId
--                            ("" if that is no single client); signs, see lib/signs.lua
--   "shared <ms> <signs>"    refused, held by readers
--   "taken <ms> <n> <free> <beginning> <signs>"  refused, a permit is held: ms until the first of all expires,
--                            how many are taken, the smallest that are free ("0-2,5"), and who has that one
--   "resized <size> ..."     of a semaphore of another size than the caller knows: that, and one of these answers
--   "size <size> <free>"     to a size: that of the semaphore here, and the permits of it that are free
--   "free"                   refused, the key is free
--   "ended"                  to a heal or an acquire: an operator has ended this lock
--   "foreign <n> <what>"     refused, the key of the n-th name holds a lock in the layout of that name, or
--                            data of a type
--   "places ..."             to a refresh, see steps/refresh.lua
--   "forgot"                 not executed: the node lost its data
--   "error <message>"        error of this operation only
--   { ... }                  to an inspect, see steps/inspect.lua
--
-- The common cases (an acquire of a free key, extends and releases of held locks) are done here, with as few commands
-- and as little other work as possible: one command per acquire and one more per group, the same for extends, three
-- for all releases of a group. Other acquires of an exclusive lock have a file of their own, and everything else uses
-- the slow path, which handles any operation; both do one at a time, and are loaded only when needed.
-- luacheck: read globals ARG_INBOX

local args, tonumber, try, known, replies = ARGV, tonumber, redis.pcall, ARGV[1], { tonumber(ARGV[3]) }
local now_us, top, is_wary, observed, refusal

local n, k, at = 1, 2, 4
while args[at] do
  local size, step, kind, ttl = tonumber(args[at]), args[at + 1], args[at + 2], args[at + 3]
  local key_step, arg_step, proposal = tonumber(args[at + 4]), tonumber(args[at + 5]), args[at + 6]
  at = at + 7
  local is_counting = step == 'count'
  if is_counting then step = 'acquire' end
  local is_plain, is_acquire = kind == 'exclusive' and arg_step <= ARG_INBOX, step == 'acquire'
  local is_vote = is_acquire or step == 'size'
  local is_done, created = false, nil

  -- Once per call: whether the node kept its data, which proposals its clock allows, its highest fence, and whether
  -- there are locks that an operator has ended, or names that somebody observes (a list, see steps/watch.lua).
  if is_vote and not now_us and not refusal then
    local record, time = try('HMGET', KEYS[1], 'id', 'top', 'endedUntilMs', 'observed'), try('TIME')
    -- No permission to look does not mean that the key is missing.
    local is_denied = record.err and not string.find(record.err, 'WRONGTYPE', 1, true)
    if is_denied or time.err then
      refusal, time = 'error ' .. (time.err or record.err), { 0, 0 }
    elseif known ~= '' and record[1] ~= known then
      refusal, replies[1] = 'forgot', -replies[1]
    end
    now_us, top = tonumber(time[1]) * 1000000 + tonumber(time[2]), tonumber(record[2] or 0)
    is_wary = known ~= '' and now_us < 1000 * tonumber(record[3] or 0)
    observed = known ~= '' and record[4] ~= '' and record[4]
    -- It begins with 13 digits. What is over need not be read again.
    if observed and now_us >= 1000 * (tonumber(string.sub(observed, 1, 13)) or 0) then
      try('HSET', KEYS[1], 'observed', '')
      observed = false
    end
  end

  if is_vote and refusal then
    for m = 1, size do replies[n + m] = refusal end
    is_done = true
  elseif is_plain and is_acquire and not is_wary
    and not (observed and require('fast.is_observed')(observed, size, k, at, arg_step)) then
    created, top = require('fast.acquire')(replies, n, ttl, size, k, at, proposal, now_us, top)
  elseif is_plain and step == 'extend' then
    require('fast.extend')(replies, n, ttl, size, k, at)
  elseif is_plain and step == 'release' then
    is_done = require('fast.release')(replies, n, size, k, at)
  end

  for m = is_done and size or 0, size - 1 do
    if not replies[n + m + 1] then
      local k_of, a_of = k + m * key_step, at + m * arg_step
      local k_end, a_end, is_created = k_of + key_step - 1, a_of + arg_step - 1, created and created[m + 1]
      replies[n + m + 1] = is_acquire and kind == 'exclusive'
        and require('exclusive_acquire')(
          ttl, proposal, is_created, KEYS[k_of], a_of, a_end, now_us, is_wary, observed, top)
        or require('slow_path')(
          step, kind, ttl, proposal, is_created, k_of, k_end, a_of, a_end, now_us, is_wary, observed)
      if is_counting then replies[n + m + 1] = require('queue.counted')(replies[n + m + 1], k_of) end
      -- It may have stored a higher one.
      top = nil
    end
  end
  -- It has changed what the record says.
  if step == 'revoke' or step == 'watch' then now_us = nil end
  n, k, at = n + size, k + size * key_step, at + size * arg_step
end
for m = 2, n do
  if replies[m] ~= 0 then return replies end
end
return replies[1]
