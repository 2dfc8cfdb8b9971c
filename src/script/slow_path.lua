-- Any operation on any kind of lock, one at a time. Done for what the fast path leaves to it.
--
-- A kind is a table of functions of the lock:
--   prepare(lock, k_end, a_end)  if there: finds the keys and arguments of its own, from lock.k to k_end and
--                           from lock.a to a_end
--   is_ours(lock)           whether our hold stands here
--   take(lock, is_acquire)  takes it, or re-times it where it is ours; a refusal if that can't be, and
--                           whether it is in vain to wait in this queue. Also puts it back (a heal),
--                           where newcomers' manners do not matter
--   taken(lock)             if there: called after an acquire was granted
--   retime(lock)            never shortens; only where it is ours
--   drop(lock)              lets go of it; only where it is ours
--   drop_rest(lock)         if there: lets go of what is left of it, where it is not ours as a whole
--   held_by(lock)           if there: the refusal of what the lock key holds, or "free"; by default of a
--                           string
--   blocker(lock)           if there: the refusal of what stands in its way, or "free"; by default held_by
--   same_fence(lock, draw)  if there: the fence of a grant; by default draw(lock), the next one
--   is_sealed(lock, token)  if there: whether the node has that token for ours, though its fence is not
--                           below it
--   lifted(lock, token)     if there: called after the fence was sealed or lifted with its token
--   pass_on(lock)           if there: called after a release let go of it, and has queued up who is next
--   acquire, leave          if there: the whole step, instead of that of all kinds
--
-- The lock is a table of this operation: key, queue, buckets (of its fences: one of each name), owner, token (a
-- proposal or a token; "" without fencing), ttl; of one who waits inbox, ticket, place (in the queue) and
-- reservation (what the lock key holds while it is reserved for it); is_first, where there was no lock
-- before; reserves_nothing, if whoever is next is told and the name not kept for it.
-- A call makes those files and functions that it uses: to make them costs as much as to run them.
-- luacheck: read globals KEYS_OF_ALL RESERVATION
-- luacheck: read globals ARG_OWNER ARG_BUCKET ARG_FENCE ARG_INBOX ARG_TICKET ARG_RESERVED_MS ARGS_OF_ALL

local companion = require('lib.companion')

local function buckets_in(text)
  local buckets = {}
  for bucket in string.gmatch(text or '', '%d+') do buckets[#buckets + 1] = bucket end
  return buckets
end

-- k, a: where the operation's keys and arguments begin; k_end, a_end: where they end.
local function lock_of(ttl, proposal, is_created, k, a, a_end, low, high)
  local inbox = a_end >= a + ARG_INBOX and ARGV[a + ARG_INBOX] or ''
  if inbox == '' then inbox = nil end
  return {
    ttl = tonumber(ttl), is_created = is_created, low = low, high = high,
    key = KEYS[k], queue = companion('queue', KEYS[k]),
    owner = ARGV[a + ARG_OWNER], buckets = a_end >= a + ARG_BUCKET and buckets_in(ARGV[a + ARG_BUCKET]) or {},
    token = a_end >= a + ARG_FENCE and ARGV[a + ARG_FENCE] or proposal,
    inbox = inbox, ticket = inbox and tonumber(ARGV[a + ARG_TICKET]),
    place = inbox and ARGV[a + ARG_RESERVED_MS] .. ':' .. inbox, reservation = inbox and RESERVATION .. inbox,
    k = k + KEYS_OF_ALL, a = a + ARGS_OF_ALL,
  }
end

local function run(step, lock, kind, k_end, a_end, is_wary)
  if kind.prepare then kind.prepare(lock, k_end, a_end) end
  local can_be_ended = step == 'heal' or is_wary and step == 'acquire'
  if can_be_ended and require('lib.ended').is_ended(lock) then return 'ended' end
  return require('steps.' .. step)(lock, kind, k_end)
end

-- An operation that fails answers for itself and touches no other.
-- is_created: its lock key has just been set.
return function(step, kind_name, ttl, proposal, is_created, k, k_end, a, a_end, low, high, is_wary)
  local kind = require('kinds.' .. kind_name)
  local lock = lock_of(ttl, proposal, is_created, k, a, a_end, low, high)
  local ok, reply = pcall(run, step, lock, kind, k_end, a_end, is_wary)
  if ok then return reply end
  if lock.is_created then pcall(kind.drop, lock) end
  local message = type(reply) == 'table' and reply.err or tostring(reply)
  if string.find(message, 'WRONGTYPE', 1, true) then
    local found = redis.pcall('TYPE', lock.key).ok
    if found ~= 'none' and found ~= 'string' then return require('lib.foreign').refusal(lock.key) end
  end
  return 'error ' .. message
end
