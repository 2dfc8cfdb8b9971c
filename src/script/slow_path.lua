-- Any operation on any kind of lock, one at a time: all that the fast path does not handle, except for acquires of
-- exclusive locks (exclusive_acquire.lua).
--
-- A kind is a table of functions of the lock:
--   prepare(lock, k_end, a_end)  optional: reads its own keys and arguments, from lock.k to k_end and
--                           from lock.a to a_end
--   is_ours(lock)           whether our hold is stored here
--   take(lock, is_acquire)  takes it, or extends it where it is ours; returns a refusal if impossible, and
--                           whether waiting in this queue is futile. Also restores it (a heal),
--                           where the rules for newcomers do not apply
--   taken(lock)             optional: called after an acquire was granted
--   retime(lock)            extends, never shortens; only where it is ours
--   drop(lock)              releases it; only where it is ours. Returns true where the key is free then for sure
--   drop_rest(lock)         optional: releases what is left of it, where it is not ours as a whole
--   held_by(lock)           optional: the refusal because of the lock key, or "free"; by default of a
--                           string
--   blocker(lock)           optional: the refusal because of whatever blocks it, or "free"; by default held_by
--   same_fence(lock, draw)  optional: the fence of a grant; by default draw(lock), the next one
--   is_sealed(lock, token)  optional: whether the node has that token for ours, though its fence is not
--                           below it
--   lifted(lock, token)     optional: called after the fence was sealed or lifted with its token
--   pass_on(lock)           optional: called after a release dropped it and queued the next waiter
--   leave                   optional: the whole step, instead of the common one
-- One with holders next to the lock key has more, for other clients' locks: see kind_at in lib/holders_beside.lua.
--
-- The lock is a table of this operation: key, queue, buckets (of its fences: one per name), owner, token (a proposal
-- or a token; "" without fencing), ttl; for a waiter inbox, ticket, place (in the queue) and reservation (the value
-- of the lock key while it is reserved for it) and deferred (its acquire, see queue/defer.lua); proposal, for the
-- fence of a waiter that gets the name; kept, of a lease that was extended beyond its ttl (lib/longer_extension.lua);
-- is_first, where there was no lock before; news, of a semaphore whose size is another than the caller knows;
-- reserves_nothing, if the next waiter is notified without a reservation.
-- A call creates only the files and functions that it uses: creating them costs as much as running them.
-- luacheck: read globals KEYS_OF_ALL RESERVATION
-- luacheck: read globals ARG_OWNER ARG_BUCKET ARG_FENCE ARG_INBOX ARG_TICKET ARG_RESERVED_MS ARG_KEPT_MS ARG_DEFERRED
-- luacheck: read globals ARGS_OF_ALL

local companion = require('lib.companion')

local function buckets_in(text)
  local buckets = {}
  for bucket in string.gmatch(text or '', '%d+') do buckets[#buckets + 1] = bucket end
  return buckets
end

-- k, a: where the operation's keys and arguments begin; k_end, a_end: where they end.
local function lock_of(ttl, proposal, is_created, k, a, a_end, now_us)
  local inbox = a_end >= a + ARG_INBOX and ARGV[a + ARG_INBOX] or ''
  if inbox == '' then inbox = nil end
  return {
    ttl = tonumber(ttl), is_created = is_created, now_us = now_us,
    key = KEYS[k], queue = companion('queue', KEYS[k]),
    owner = ARGV[a + ARG_OWNER], buckets = a_end >= a + ARG_BUCKET and buckets_in(ARGV[a + ARG_BUCKET]) or {},
    token = a_end >= a + ARG_FENCE and ARGV[a + ARG_FENCE] or proposal,
    inbox = inbox, ticket = inbox and tonumber(ARGV[a + ARG_TICKET]),
    place = inbox and ARGV[a + ARG_RESERVED_MS] .. ':' .. inbox, reservation = inbox and RESERVATION .. inbox,
    kept = a_end >= a + ARG_KEPT_MS and tonumber(ARGV[a + ARG_KEPT_MS]) or nil,
    deferred = a_end >= a + ARG_DEFERRED and ARGV[a + ARG_DEFERRED] or '', proposal = proposal,
    k = k + KEYS_OF_ALL, a = a + ARGS_OF_ALL,
  }
end

local function run(step, lock, kind, k_end, a_end, is_wary)
  if kind.prepare then kind.prepare(lock, k_end, a_end) end
  local can_be_ended = step == 'heal' or is_wary and step == 'acquire'
  if can_be_ended and require('lib.ended').is_ended(lock) then return 'ended' end
  local reply = require('steps.' .. step)(lock, kind, k_end)
  -- Of an acquire: it was granted.
  if lock.is_observed and step == 'acquire' and (reply == 0 or string.find(reply, '^%d')) then
    pcall(require('lib.tell_observers'), lock)
  end
  return lock.news and 'resized ' .. lock.news .. ' ' .. reply or reply
end

-- An operation that fails does not affect others.
-- is_created: its lock key has just been set.
return function(step, kind_name, ttl, proposal, is_created, k, k_end, a, a_end, now_us, is_wary, is_observed)
  local kind = require('kinds.' .. kind_name)
  local lock = lock_of(ttl, proposal, is_created, k, a, a_end, now_us)
  lock.is_observed = is_observed
  local ok, reply = pcall(run, step, lock, kind, k_end, a_end, is_wary)
  if ok then return reply end
  -- Of the first holder, what it has stored so far may have no expiry yet.
  if lock.is_created or lock.is_first then pcall(kind.drop, lock) end
  return require('lib.failure')(reply, lock.key)
end
