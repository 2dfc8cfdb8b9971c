-- The one script for all operations: a list of operations in, a list of answers out.
--
-- KEYS[1]          the node's record
-- then, an operation: lock key, fence key (all but E), and the queue's key (R, B, K, W, O, T, L)
-- ARGV[1]          incarnation id the sender knows; "" does not compare it
-- ARGV[2]          how far a proposal may be from the node's clock, microseconds
-- ARGV[3]          retention of fence keys, ms
-- then, a group of operations of one kind and ttl:
--                  code, ttl in ms (K: what the key may still live), size, and an operation: ownerId, fence (all but E: proposal or
--                  token; "" without fencing), of one who waits (W, O, B, T, L) inbox, ticket and turn
--                  in ms, and of a hand-over (O) the previous owner and its token
-- An operation with a layout is a group of its own: X, ttl, 1, its code, the layout, how many keys and
-- arguments it has; lock, fence and queue key and the layout's; and ownerId, fence, inbox, ticket and
-- turn ("", 0, 0 where nobody waits), and the layout's.
--
-- Codes: A acquire, W acquire or wait, O the same and take over from the previous owner, S seal,
-- E extend, H heal, T heal or take our turn, R release, B release and wait, K release and keep it
-- closed for a while, L leave the queue, I inspect (with the keys of who may stand beside it), V revoke.
--
-- Y, refresh places in queues, is a group of its own: Y, 0, 1, how many keys and arguments it has; of each
-- name lock key, queue and of a semaphore its slots; the inbox, and of each name ticket, turn and of
-- a semaphore its permits.
--
-- Returns the number of operations if the answer to each is 0, as it usually is: a list costs the
-- client more to read than all else. Otherwise a list: 1, or 0 if an acquire found another
-- incarnation than the sender's (batches without one do not look: their matches prove memory), then
-- one value an operation:
--   0                    granted; by an acquire: with the proposal as its fence
--   "<fence>"            granted with this fence
--   "O<p><w><fence>"     the same to one who waits; p: 1 if the key was the previous owner's, w: 1
--                        if others stand in the queue
--   "H<pttl>:<label>"    refused, held by another
--   "S<pttl>"            refused, held by readers
--   "P<ms>:<hex>"        refused, the permit is another's: how long until the first of all ends, and
--                        which are taken (a digit for every four)
--   "F"                  refused, the key is free
--   "D"                  to a heal or an acquire: an operator has ended this lock
--   { holder, pttl, fence, count, beside }   of an inspect: what the lock key holds and what is left of
--                        it, the counter, how many wait, and who stands beside it, each with what is left
--   "Y<now>,<left>,...;<holder>,..."   of a refresh, see lib/refresh.lua
--   "T<what>"            refused, the key holds a lock in the layout of that name, or data of a type;
--                        with "@<n>" behind it: the key of the n-th name of a set
--   "Q"                  not executed: the node forgot
--   "E<message>"         error of this operation alone
--
-- An operation that fails answers for itself and touches no other. What is plain (an acquire of a
-- free key, extends and releases of locks that are held) is done in the loop at the end, with as few
-- commands and as little else as possible: two commands an acquire, one an extend and one more for a
-- group of them, three for all releases of a group. What is not goes through `careful`, which can do
-- everything, one operation at a time; its functions are made only when it is called.
--
-- A plain acquire stores its fence before it compares it with the one that was there, because that
-- takes one command nearly always (`SET ... GET`; servers before Redis 6.2 refuse it, and `careful`
-- does it in two). A plain extend leaves it to the node never to shorten (`PEXPIRE ... GT`; servers
-- before Redis 7 refuse it, and `careful` looks first).
--
-- A release gives the turn to the first in the queue of the name whose inbox anybody listens to: it is
-- told there, and for as long as a turn is the lock key holds its inbox, which excludes everybody
-- else like any lock, and stands for no owner.
--
-- Whose lock an operator has ended stands in a sorted set of the name, for longer than that one can
-- believe: else a heal of a round that was won just before could put the key back, or an acquire that is
-- still on its way. Its key is that of the fence with another word. Acquires look only while a key for
-- the whole node says that there is such a set; it is kept where incarnations are compared.
--
-- Numbers are written with '%.0f' and compared as numbers: Lua prints 14 digits, a fence has 16,
-- and strings compare byte by byte.

local try, keys, args, tonumber, format = redis.pcall, KEYS, ARGV, tonumber, string.format
local retention, replies = args[3], { 1 }
local known, unreadable, low, high, is_wary
local clock_ms

local function now_ms()
  if not clock_ms then
    local time = redis.call('TIME')
    clock_ms = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return clock_ms
end

-- k, a: where the operation's keys and arguments begin. is_created: its lock key has just been set.
local function careful(code, ttl, k, a, is_created, kind, k_end, a_end)
  local call = redis.call
  local key, fence_key, queue, owner, given = keys[k], keys[k + 1], keys[k + 2], args[a], args[a + 1]
  local waiter, is_waiting, is_heal = nil, code == 'W' or code == 'B' or code == 'O', code == 'H' or code == 'T'
  local layout
  local fences = { fence_key }
  if is_waiting or code == 'T' or code == 'L' then waiter = args[a + 4] .. ':' .. args[a + 2] end
  local previous, previous_token
  if code == 'O' then previous, previous_token = args[a + 5], args[a + 6] end
  -- include lib/lock_key.lua
  -- include lib/fences.lua
  -- include lib/queue.lua
  -- include lib/refresh.lua
  local layouts = {}
  -- include kinds/shared.lua
  -- include kinds/several.lua
  -- include kinds/timestamp.lua
  -- include kinds/owned.lua
  -- include kinds/slot.lua
  -- include kinds/stolen.lua
  -- include laid_out.lua
  -- include slow_path.lua

  local ok, reply = pcall(step)
  if ok then return reply end
  if is_created and layout then pcall(layout.drop) elseif is_created then try('DEL', key) end
  local message = type(reply) == 'table' and reply.err or tostring(reply)
  if string.find(message, 'WRONGTYPE', 1, true) then
    local found = try('TYPE', key).ok
    if found ~= 'none' and found ~= 'string' then return foreign(key) end
  end
  return 'E' .. message
end

-- include fast_path.lua
