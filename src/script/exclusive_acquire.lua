-- An acquire of an exclusive lock, one at a time, where the fast path does not handle it: of a key that is held or
-- reserved, by a waiter, or passed on. Every lock that changes hands gets here, on a node that has other things
-- in its caches by then: this does without what other operations need.
-- luacheck: read globals ARG_BUCKET ARG_DEFERRED ARG_FENCE ARG_INBOX ARG_OWNER ARG_RESERVED_MS ARG_TICKET
-- luacheck: read globals ARGS_OF_ALL RESERVATION

local call = redis.call

-- The reply to a waiter or an adoption. Waiting only saves time; without permission to look, assumes that others wait.
local function granted(fence, is_handed_over, key, queue, place, inbox, now_us)
  if place then
    pcall(require('queue.leave'), queue, place)
    pcall(require('queue.undefer'), key, inbox)
  end
  local may_look, others_wait = pcall(require('queue.is_waited_for'), queue, now_us / 1000)
  local is_waited_for = others_wait or not may_look
  return 'granted ' .. fence .. (is_handed_over and ' 1' or ' 0') .. (is_waited_for and ' 1' or ' 0')
end

-- The key remains the previous owner's until the fence is stored: if that fails, it is left for that owner's release.
local function acquire(lock, ttl, a, a_end, is_wary)
  if is_wary and require('lib.ended').is_ended(lock) then return 'ended' end
  local key, owner = lock.key, lock.owner
  local inbox = a_end >= a + ARG_INBOX and ARGV[a + ARG_INBOX] or ''
  local place = inbox ~= '' and ARGV[a + ARG_RESERVED_MS] .. ':' .. inbox
  local previous = a_end >= a + ARGS_OF_ALL and ARGV[a + ARGS_OF_ALL]
  local holder = lock.is_created and owner or call('GET', key)
  local is_handed_over = holder and holder == previous and holder ~= owner
  local is_ours = holder == owner or place and holder == RESERVATION .. inbox
  local is_granted = not holder or is_ours or is_handed_over
  local queue = (place or previous) and require('lib.companion')('queue', key)
  if not is_granted then
    if place then
      -- For the queue, which need not ask for the time again.
      require('lib.clock')(lock.now_us)
      pcall(require('queue.enter'), key, queue, tonumber(ARGV[a + ARG_TICKET]), place, ARGV[a + ARG_DEFERRED])
    end
    return require('lib.lock_key').refuse(holder, key)
  end
  -- Another one would be above the token that its owner may have drawn from the first.
  local is_again = place and holder == owner and not lock.is_created
  local given = is_again and require('queue.executed_with')(key, inbox, owner)
  local fence = given or lock.token == '' and 0 or require('lib.draw_fence')(lock)
  if holder ~= owner then
    call('SET', key, owner, 'PX', ttl)
  elseif not lock.is_created then
    require('lib.retime')(key, owner, tonumber(ttl))
  end
  if lock.is_observed then pcall(require('lib.tell_observers'), lock) end
  return queue and granted(fence, is_handed_over, key, queue, place, inbox, lock.now_us) or fence
end

-- is_created: the fast path has just set the key. a, a_end: where the arguments begin and end. top: the node's
-- highest fence, if known.
return function(ttl, proposal, is_created, key, a, a_end, now_us, is_wary, is_observed, top)
  local lock = {
    key = key, owner = ARGV[a + ARG_OWNER], buckets = { ARGV[a + ARG_BUCKET] },
    token = a_end >= a + ARG_FENCE and ARGV[a + ARG_FENCE] or proposal,
    now_us = now_us, top = top, is_created = is_created, is_observed = is_observed,
  }
  local ok, reply = pcall(acquire, lock, ttl, a, a_end, is_wary)
  if ok then return reply end
  if lock.is_created then redis.pcall('DEL', key) end
  return require('lib.failure')(reply, key)
end
