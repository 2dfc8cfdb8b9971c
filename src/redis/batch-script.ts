import { createHash } from "node:crypto";
import { ENDED_KEY, inboxChannel } from "../protocol/keys.js";
import type { LayoutKind } from "../protocol/layout.js";
import { OWN_FIELDS, OWNER_PREFIX } from "../protocol/owned.js";
import { END_MS, FIRST_MS, FIRST_SECONDS, TIMESTAMP_MARGIN_MS } from "../protocol/timestamps.js";
import { OWNED_LAYOUT } from "./layouts/owned.js";
import { SEVERAL_LAYOUT } from "./layouts/several.js";
import { SHARED_LAYOUT } from "./layouts/shared.js";
import { SLOT_LAYOUT } from "./layouts/slot.js";
import { STOLEN_LAYOUT } from "./layouts/stolen.js";
import { TIMESTAMP_LAYOUT } from "./layouts/timestamp.js";

/** Life of a name's queue after somebody stood in it last, ms; who still waits looks again sooner. */
const QUEUE_TTL_MS = 10_000;

/**
 * What a layout can do, in Lua: a function of the lock that gives
 *   is_ours()         whether our hold stands here
 *   take(is_acquire)  takes it, or re-times it where it is ours; a refusal if that can't be, and
 *                     whether it is in vain to wait in this queue. Also puts it back (a heal), where
 *                     newcomers' manners do not matter
 *   taken()           if there: called after an acquire was granted
 *   retime()          never shortens; only where it is ours
 *   drop()            lets go of it; only where it is ours
 *   drop_rest()       if there: lets go of what is left of it, where it is not ours as a whole
 *   held_by()         if there: the refusal of what the lock key holds, or `F`; by default of a string
 *   blocker()         if there: the refusal of what stands in its way, or `F`; by default held_by()
 *   same_fence(draw)  if there: the fence of a grant; by default draw(), the next one
 *   is_sealed(token)  if there: whether the node has that token for ours, though its fence is not below it
 *   lifted(token)     if there: called after the fence was sealed or lifted with its token
 *   keeps_no_turn     if there: whoever is next is told, and the name not kept for it
 *   pass_on()         if there: called after a release let go of it, and has queued up who comes next
 *   leave()           if there: what a leave does instead of the plain one
 *   fences            if there: the fence keys, where they are several; the token is above all
 * The lock has `key`, `queue`, `keys` and `args` of the layout, `owner`, `ttl`, `fence` (the fence key),
 * `call`, `try`; of one who waits `inbox`, `ticket`, `waiter` (its place in the
 * queue) and `turn` (what the lock key holds if it is its turn); `refuse(holder)` for a lock key that is a
 * string, `give_turn(key, queue)` and `tell_readers()`.
 */
const LAYOUTS: Readonly<Record<LayoutKind, string>> = {
  shared: SHARED_LAYOUT,
  several: SEVERAL_LAYOUT,
  timestamp: TIMESTAMP_LAYOUT,
  owned: OWNED_LAYOUT,
  slot: SLOT_LAYOUT,
  stolen: STOLEN_LAYOUT,
};

/**
 * The one script for all operations: a list of operations in, a list of answers out.
 *
 * KEYS[1]          the node's record
 * then, an operation: lock key, fence key (all but E), and the queue's key (R, B, K, W, O, T, L)
 * ARGV[1]          incarnation id the sender knows; "" does not compare it
 * ARGV[2]          how far a proposal may be from the node's clock, microseconds
 * ARGV[3]          retention of fence keys, ms
 * then, a group of operations of one kind and ttl:
 *                  code, ttl in ms (K: what the key may still live), size, and an operation: ownerId, fence (all but E: proposal or
 *                  token; "" without fencing), of one who waits (W, O, B, T, L) inbox, ticket and turn
 *                  in ms, and of a hand-over (O) the previous owner and its token
 * An operation with a layout is a group of its own: X, ttl, 1, its code, the layout, how many keys and
 * arguments it has; lock, fence and queue key and the layout's; and ownerId, fence, inbox, ticket and
 * turn ("", 0, 0 where nobody waits), and the layout's.
 *
 * Codes: A acquire, W acquire or wait, O the same and take over from the previous owner, S seal,
 * E extend, H heal, T heal or take our turn, R release, B release and wait, K release and keep it
 * closed for a while, L leave the queue, I inspect (with the keys of who may stand beside it), V revoke.
 *
 * Returns the number of operations if the answer to each is 0, as it usually is: a list costs the
 * client more to read than all else. Otherwise a list: 1, or 0 if an acquire found another
 * incarnation than the sender's (batches without one do not look: their matches prove memory), then
 * one value an operation:
 *   0                    granted; by an acquire: with the proposal as its fence
 *   "<fence>"            granted with this fence
 *   "O<p><w><fence>"     the same to one who waits; p: 1 if the key was the previous owner's, w: 1
 *                        if others stand in the queue
 *   "H<pttl>:<label>"    refused, held by another
 *   "S<pttl>"            refused, held by readers
 *   "P<ms>:<hex>"        refused, the permit is another's: how long until the first of all ends, and
 *                        which are taken (a digit for every four)
 *   "F"                  refused, the key is free
 *   "D"                  to a heal or an acquire: an operator has ended this lock
 *   { holder, pttl, fence, count, beside }   of an inspect: what the lock key holds and what is left of
 *                        it, the counter, how many wait, and who stands beside it, each with what is left
 *   "T<what>"            refused, the key holds a lock in the layout of that name, or data of a type;
 *                        with "@<n>" behind it: the key of the n-th name of a set
 *   "Q"                  not executed: the node forgot
 *   "E<message>"         error of this operation alone
 *
 * An operation that fails answers for itself and touches no other. What is plain (an acquire of a
 * free key, extends and releases of locks that are held) is done in the loop at the end, with as few
 * commands and as little else as possible: two commands an acquire, one an extend and one more for a
 * group of them, three for all releases of a group. What is not goes through `careful`, which can do
 * everything, one operation at a time; its functions are made only when it is called.
 *
 * A plain acquire stores its fence before it compares it with the one that was there, because that
 * takes one command nearly always (`SET ... GET`; servers before Redis 6.2 refuse it, and `careful`
 * does it in two). A plain extend leaves it to the node never to shorten (`PEXPIRE ... GT`; servers
 * before Redis 7 refuse it, and `careful` looks first).
 *
 * The queue of a name is a sorted set of those who wait, by ticket: turn and inbox, and an "r" in
 * front of the turn of a reader, an "s" of one who wants a permit. A release gives the turn to the
 * first whose inbox anybody listens to: it is told there, and for as long as a turn is the lock key
 * holds its inbox, which excludes everybody else like any lock, and stands for no owner.
 *
 * Whose lock an operator has ended stands in a sorted set of the name, for longer than that one can
 * believe: else a heal of a round that was won just before could put the key back, or an acquire that is
 * still on its way. Its key is that of the fence with another word. Acquires look only while a key for
 * the whole node says that there is such a set; it is kept where incarnations are compared.
 *
 * Numbers are written with '%.0f' and compared as numbers: Lua prints 14 digits, a fence has 16,
 * and strings compare byte by byte.
 */
export const BATCH_SCRIPT = /* lua */ `
local try, keys, args, tonumber, format = redis.pcall, KEYS, ARGV, tonumber, string.format
local retention, replies = args[3], { 1 }
local known, unreadable, low, high, is_wary

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

  -- The layout in which a number is a timestamp.
  local function unit_of(text)
    local value = string.find(text, '^%d+%.?%d*$') and tonumber(text) or 0
    if value < FIRST_SECONDS or value >= END_MS then return end
    return value < FIRST_MS and 'timestamp-seconds' or 'timestamp'
  end

  -- Ours has an expiry, and says so much more than that.
  local function is_our_timestamp(text, pttl)
    local unit = unit_of(text)
    if not unit then return false end
    local time, is_seconds = call('TIME'), unit == 'timestamp-seconds'
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local more = tonumber(text) * (is_seconds and 1000 or 1) - now - pttl - MARGIN_MS
    return more >= -2 and more <= (is_seconds and 1002 or 2)
  end

  local function is_redisson(of)
    local size = try('HLEN', of)
    local fields = type(size) == 'number' and size <= 1000 and try('HGETALL', of) or {}
    for n = 1, #fields, 2 do
      if string.find(fields[n], '^%x+%-%x+%-%x+%-%x+%-%x+:%d+$') then return true end
      if string.find(fields[n], 'OWN_FIELDS', 1, true) == 1 then return true end
    end
    return false
  end

  -- What stands there: a lock in another layout, or somebody's data. at: which name of a set it is.
  local function foreign(of, at)
    local found, pttl = try('TYPE', of).ok or 'data of another type', try('PTTL', of)
    local has_expiry = type(pttl) == 'number' and pttl >= 0
    if found == 'string' then
      found = unit_of(call('GET', of)) or has_expiry and 'redlock' or 'string without expiry'
    elseif found == 'hash' and has_expiry and is_redisson(of) then
      found = 'redisson'
    end
    return 'T' .. found .. (at and at > 1 and '@' .. at or '')
  end

  local function refuse(holder, of, at)
    if not holder then return 'F' end
    local pttl = call('PTTL', of or key)
    if pttl < 0 or is_our_timestamp(holder, pttl) then return foreign(of or key, at) end
    if holder == 'shared:' then return 'S' .. pttl end
    return 'H' .. pttl .. ':' .. (string.sub(holder, 23, 23) == ':' and string.sub(holder, 24) or '')
  end

  -- Never shortens.
  local function retime()
    if tonumber(ttl) > call('PTTL', key) then call('PEXPIRE', key, ttl) end
  end

  -- The highest, of several.
  local function last_fence()
    local last = call('GET', fence_key)
    for at = 2, #fences do
      local other = call('GET', fences[at])
      if other and (not last or tonumber(other) > tonumber(last)) then last = other end
    end
    return last
  end

  local function is_behind(token)
    local fence = last_fence()
    return not fence or tonumber(fence) < tonumber(token)
  end

  local function store(fence)
    for at = 1, #fences do call('SET', fences[at], fence, 'PX', retention) end
    return fence
  end

  -- Where it is lower: what stands in the others is not lowered.
  local function lift(token)
    if token == '' then return end
    for at = 1, #fences do
      local fence = call('GET', fences[at])
      if not fence or tonumber(fence) < tonumber(token) then call('SET', fences[at], token, 'PX', retention) end
    end
  end

  -- As far as its token goes a hand-over is the release of the previous owner.
  local function lift_to_previous()
    if previous_token then lift(previous_token) end
  end

  local function next_fence()
    local fence, last = math.min(math.max(tonumber(given), low), high), last_fence()
    if last and tonumber(last) >= fence then fence = tonumber(last) + 1 end
    if fence > 9007199254740991 then
      if last then store(last) end
      error('FENCE the fence would pass 2^53 - 1', 0)
    end
    return format('%.0f', fence)
  end

  local function queue_up()
    if not is_waiting then return end
    call('ZADD', queue, args[a + 3], waiter)
    call('PEXPIRE', queue, QUEUE_TTL_MS)
  end

  local function give_turn(key, queue, is_not_kept)
    while true do
      local first = call('ZPOPMIN', queue)[1]
      if not first then return end
      local turn, inbox = string.match(first, '^[rs]?(%d+):(.*)$')
      if call('PUBLISH', 'INBOX_CHANNEL' .. inbox, turn .. ':' .. key) > 0 then
        if not is_not_kept then call('SET', key, 'turn:' .. inbox, 'NX', 'PX', turn) end
        return
      end
    end
  end

  -- Those of the queue who can have it beside readers: all before the first who can not.
  local function tell_readers()
    for _, member in ipairs(call('ZRANGE', queue, 0, -1)) do
      local turn, inbox = string.match(member, '^r(%d+):(.*)$')
      if not turn then return end
      call('PUBLISH', 'INBOX_CHANNEL' .. inbox, turn .. ':' .. key)
    end
  end

  -- Not that it is its turn, but that it is worth a look: the key will be gone sooner than it was told.
  local function tell_first()
    local first = call('ZRANGE', queue, 0, 0)[1]
    local turn, inbox = string.match(first or '', '^r?(%d+):(.*)$')
    if turn then call('PUBLISH', 'INBOX_CHANNEL' .. inbox, turn .. ':' .. key) end
  end

  local function laid_out_step()
    local function held_by()
      return layout.held_by and layout.held_by() or refuse(call('GET', key))
    end

    local function draw_fence()
      return store(next_fence())
    end

    layout = LAYOUTS({
      call = call, try = try, give_turn = give_turn, key = key, fence = fence_key, queue = queue, owner = owner, ttl = tonumber(ttl), refuse = refuse, foreign = foreign, unit_of = unit_of,
      keys = { unpack(keys, k + 3, k_end) }, args = { unpack(args, a + 5, a_end) },
      waiter = waiter, turn = waiter and 'turn:' .. args[a + 2], inbox = waiter and args[a + 2], ticket = waiter and tonumber(args[a + 3]), tell_readers = tell_readers,
    })
    fences = layout.fences or fences
    if code == 'L' then return layout.leave() or 0 end
    local is_ours = layout.is_ours()
    if code == 'A' or code == 'W' then
      local refusal, is_in_vain = layout.take(true)
      if refusal then
        if not is_in_vain then pcall(queue_up) end
        return refusal
      end
      is_created = not is_ours
      local reply = given == '' and 0 or layout.same_fence and layout.same_fence(draw_fence) or draw_fence()
      if waiter then try('ZREM', queue, waiter) end
      if layout.taken then pcall(layout.taken) end
      return reply
    elseif code == 'S' then
      if not is_ours then return layout.blocker and layout.blocker() or held_by() end
      if not is_behind(given) then return layout.is_sealed and layout.is_sealed(given) and given or 'H0:' end
      store(given)
      if layout.lifted then layout.lifted(given) end
      return given
    elseif code == 'E' then
      if not is_ours then return layout.blocker and layout.blocker() or held_by() end
      layout.retime()
      return 0
    end
    if not is_heal then
      if is_ours then layout.drop() elseif layout.drop_rest then layout.drop_rest() end
    end
    lift(given)
    if is_heal then
      local refusal = not is_ours and layout.take(false)
      if not refusal and layout.lifted then layout.lifted(given) end
      return refusal or 0
    end
    if layout.lifted then pcall(layout.lifted, given) end
    pcall(queue_up)
    if is_ours and layout.pass_on then pcall(layout.pass_on) end
    local refusal = not is_ours and held_by()
    -- Where nothing keeps the name for whom it is told, only who let go of it tells: else a process could
    -- wake itself at the speed of the network.
    local may_tell = is_ours or not layout.keeps_no_turn
    if may_tell and call('EXISTS', key) == 0 then pcall(give_turn, key, queue, layout.keeps_no_turn) end
    return refusal or 0
  end

  local function step()
    local is_acquire = code == 'A' or code == 'W' or code == 'O'
    -- With the keys of those that may stand beside the lock key: readers, permits, holds of an owner.
    if code == 'I' then
      local holder, pttl, time, beside = call('GET', key), call('PTTL', key), call('TIME'), {}
      if holder and pttl < 0 then return foreign(key) end
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      local function see(text, ends)
        local left = tonumber(ends) - now
        if left >= 0 then beside[#beside + 1], beside[#beside + 2] = text, left end
      end
      local set = holder == 'shared:' and keys[k + 3] or string.find(holder or '', 'semaphore:', 1, true) == 1 and keys[k + 4]
      if set then
        local all = call('ZRANGE', set, 0, -1, 'WITHSCORES')
        for at = 1, #all, 2 do
          if not string.find(all[at], '^%d+:turn:') then see(all[at], all[at + 1]) end
        end
      elseif string.find(holder or '', 'OWNER_PREFIX', 1, true) == 1 then
        local all = call('HGETALL', keys[k + 5])
        for at = 1, #all, 2 do
          local hold = string.match(all[at], '^OWN_FIELDShold:(.*)$')
          if hold then see(hold, all[at + 1]) end
        end
      end
      return { holder, pttl, call('GET', fence_key), #call('ZRANGE', queue, 0, -1), beside }
    elseif code == 'V' then
      local ended = string.gsub(fence_key, '^quorate:fence', 'quorate:ended')
      call('ZADD', ended, 0, owner)
      if tonumber(ttl) > call('PTTL', ended) then call('PEXPIRE', ended, ttl) end
      is_wary = args[1] ~= ''
      if is_wary and tonumber(ttl) > call('PTTL', 'ENDED_KEY') then call('SET', 'ENDED_KEY', '', 'PX', ttl) end
      return 0
    elseif is_heal or is_wary and is_acquire then
      -- Of several names beside the fence of each.
      for at = k + 1, kind == 'several' and k_end or k + 1, 3 do
        local ended = string.gsub(keys[at], '^quorate:fence', 'quorate:ended')
        if type(try('ZSCORE', ended, owner)) == 'string' then return 'D' end
      end
    end
    if kind and (code ~= 'L' or kind == 'slot') then return laid_out_step() end
    if is_acquire and not is_created then is_created = call('SET', key, owner, 'NX', 'PX', ttl) end
    -- Out of the queue goes who leaves it, whatever the key holds.
    local holder = (code == 'L' and try or call)('GET', key)
    local is_our_turn = waiter and holder == 'turn:' .. args[a + 2]
    local is_ours = holder == owner
    if is_acquire then
      local is_handed_over = holder and holder == previous and not is_ours
      lift_to_previous()
      if not (is_ours or is_our_turn or is_handed_over) then
        pcall(queue_up)
        return refuse(holder)
      end
      local reply = given == '' and 0 or store(next_fence())
      -- Behind the fence: where that fails the previous owner's key stands, for its release.
      if is_ours then retime() else call('SET', key, owner, 'PX', ttl) end
      if not waiter then return reply end
      -- Waiting is for speed only; who may not look takes it that others wait.
      try('ZREM', queue, waiter)
      local others = try('EXISTS', queue)
      return 'O' .. (is_handed_over and 1 or 0) .. (others == 0 and 0 or 1) .. reply
    elseif code == 'L' then
      call('ZREM', queue, waiter, 'r' .. waiter)
      if is_our_turn then
        call('DEL', key)
        give_turn(key, queue)
      elseif holder == 'shared:' then
        tell_readers()
      end
      return 0
    elseif code == 'S' then
      if not is_ours then return refuse(holder) end
      return is_behind(given) and store(given) or 'H0:'
    elseif code == 'E' then
      if not is_ours then return refuse(holder) end
      retime()
      return 0
    elseif code == 'K' then
      local left = is_ours and call('PTTL', key)
      if left and (left < 0 or tonumber(ttl) < left) then call('PEXPIRE', key, ttl) end
      lift(given)
      pcall(tell_first)
      return is_ours and 0 or refuse(holder)
    end
    -- Before the fence is lifted: a node that is out of memory refuses that, and must let go.
    if not is_heal and is_ours then call('DEL', key) end
    lift(given)
    if not is_heal then
      -- Waiting is for speed only: what goes wrong with it is not the release's business.
      pcall(queue_up)
      if not holder or is_ours then pcall(give_turn, key, queue) end
    end
    if is_heal and (not holder or is_our_turn) then
      call('SET', key, owner, 'PX', ttl)
    elseif not is_ours then
      return refuse(holder)
    end
    return 0
  end

  local ok, reply = pcall(step)
  if ok then return reply end
  if is_created and layout then pcall(layout.drop) elseif is_created then try('DEL', key) end
  local message = type(reply) == 'table' and reply.err or tostring(reply)
  if string.find(message, 'WRONGTYPE', 1, true) then
    local kind = try('TYPE', key).ok
    if kind ~= 'none' and kind ~= 'string' then return foreign(key) end
  end
  return 'E' .. message
end

local n, k, at = 1, 2, 4
while args[at] do
  local code, ttl, size, kind = args[at], args[at + 1], tonumber(args[at + 2]), nil
  local key_step, arg_step = 2, 2
  if code == 'X' then
    code, kind = args[at + 3], args[at + 4]
    key_step, arg_step = tonumber(args[at + 5]), tonumber(args[at + 6])
    at = at + 4
  elseif code == 'W' or code == 'B' or code == 'T' or code == 'L' then
    key_step, arg_step = 3, 5
  elseif code == 'R' then
    key_step = 3
  elseif code == 'E' then
    key_step, arg_step = 1, 1
  elseif code == 'O' then
    key_step, arg_step = 3, 7
  elseif code == 'K' then
    key_step = 3
  end
  at = at + 3
  local is_acquire, is_plain = code == 'A' or code == 'W' or code == 'O', false

  if is_acquire and known == nil then
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
    is_wary = args[1] ~= '' and try('EXISTS', 'ENDED_KEY') == 1
  end

  if code == 'R' and not kind then
    local values, gone, queues = try('MGET', unpack(keys, k, k + 3 * size - 1)), {}, {}
    is_plain = not values.err
    for m = 1, is_plain and size or 0 do
      local of, token = 3 * m - 2, args[at + 2 * m - 1]
      local key, fence = keys[k + of - 1], values[of + 1]
      local is_lifted = fence == token or token == '' or (fence and (tonumber(fence) or 0) >= tonumber(token))
      is_plain = is_lifted and values[of] == args[at + 2 * m - 2] and not gone[key]
      if not is_plain then break end
      gone[key], gone[m], queues[m], replies[n + m] = true, key, keys[k + of + 1], 0
    end
    is_plain = is_plain and try('EXISTS', unpack(queues)) == 0
    is_plain = is_plain and type(try('DEL', unpack(gone))) == 'number'
  end

  if code == 'E' and not kind then
    local values, can_compare = try('MGET', unpack(keys, k, k + size - 1)), true
    is_plain = not values.err
    for m = 1, is_plain and size or 0 do
      local kk, aa, reply = k + m - 1, at + m - 1, nil
      if can_compare and values[m] == args[aa] then
        can_compare = type(try('PEXPIRE', keys[kk], ttl, 'GT')) == 'number'
        reply = can_compare and 0
      end
      replies[n + m] = reply or careful(code, ttl, kk, aa)
    end
  end

  for m = 0, is_plain and -1 or size - 1 do
    local kk, aa = k + m * key_step, at + m * arg_step
    local reply, is_created
    if is_acquire and not known then
      reply = unreadable or 'Q'
    elseif code == 'A' and not kind and not is_wary then
      local set = try('SET', keys[kk], args[aa], 'NX', 'PX', ttl)
      is_created = set and set.ok
      local given = args[aa + 1]
      local fence = tonumber(given)
      if is_created and not fence then
        reply = 0
      elseif is_created and fence >= low and fence <= high then
        local fence_key = keys[kk + 1]
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
    replies[n + m + 1] = reply
      or careful(code, ttl, kk, aa, is_created, kind, kk + key_step - 1, aa + arg_step - 1)
  end
  n, k, at = n + size, k + size * key_step, at + size * arg_step
end
for m = 2, n do
  if replies[m] ~= 0 or replies[1] == 0 then return replies end
end
return n - 1
`
  // A function, because "$'" has a meaning of its own in a replacement.
  .replace("LAYOUTS(", () => `({ ${layoutTable()} })[kind](`)
  .replaceAll("OWN_FIELDS", OWN_FIELDS)
  .replaceAll("ENDED_KEY", ENDED_KEY)
  .replaceAll("MARGIN_MS", String(TIMESTAMP_MARGIN_MS))
  .replaceAll("FIRST_SECONDS", String(FIRST_SECONDS))
  .replaceAll("FIRST_MS", String(FIRST_MS))
  .replaceAll("END_MS", String(END_MS))
  .replaceAll("INBOX_CHANNEL", inboxChannel(""))
  .replaceAll("OWNER_PREFIX", OWNER_PREFIX)
  .replaceAll("OWN_FIELDS", OWN_FIELDS)
  .replaceAll("QUEUE_TTL_MS", String(QUEUE_TTL_MS));

function layoutTable(): string {
  return Object.entries(LAYOUTS)
    .map(([kind, lua]) => `${kind} = ${lua}`)
    .join(", ");
}

/** By which the server knows {@link BATCH_SCRIPT} once it has seen it. */
export const BATCH_SHA = createHash("sha1").update(BATCH_SCRIPT).digest("hex");
