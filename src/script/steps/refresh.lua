-- Renews the places of one process, the owner, in the queues of many names, and returns their state: the node's
-- clock, and for each name how long it will keep refusing, ms, and the signs of its holders. 0 where it would grant,
-- and where only an attempt can find out. Nothing without permission to look. A sign without an end ends then: so it is
-- the same until the next holder comes, and is read once.
--
-- Per name: its lock key. Per group: its size; the tickets, the first one in full; and how long a name is reserved.
-- luacheck: read globals PLACE_MS RESERVATION SHARED_HOLDER

local blocked_ms = require('lib.lock_key').blocked_ms
local companion = require('lib.companion')
local now_ms = require('lib.clock')
local is_fresh = require('queue.is_fresh')
local join = require('queue.join')
local signs_of = require('lib.signs')
local standing = require('lib.holders_beside')
local call = redis.call

local GROUP_ARGUMENTS = 3

local function is_semaphore(holder)
  return holder and standing.kind_at(holder) == 'permit'
end

local function left_of(group, n, of, holder, inbox)
  local left = call('PTTL', group.keys[n])
  if left < 0 or not holder or holder == group.reservation then return 0 end
  if group.kind == 'r' and holder == SHARED_HOLDER then
    local is_behind, has_opened = require('queue.is_behind_writer')(of, group.ticket(n), inbox)
    if has_opened then require('queue.notify_readers')(group.keys[n], of) end
    return is_behind and left or 0
  elseif group.kind == 's' and is_semaphore(holder) then
    return require('lib.permit_queue').left_for(group.keys[n], of, holder, group.place)
  end
  return blocked_ms(holder, left)
end

-- How long it will keep refusing, and the sign of its only holder: without an end where that is known exactly.
local function look(group, n, of, holder, inbox)
  local sign, ends = signs_of.parts_of(group.keys[n], holder or '')
  if ends then return math.max(0, ends - now_ms()), sign end
  return left_of(group, n, of, holder, inbox), sign
end

-- Whether the name, or a permit, is reserved for this process, or its deferred acquire was executed.
local function is_kept_in(group, holders, inbox)
  return function(n)
    if holders[n] == group.reservation then return true end
    if group.kind == 'x' then return holders[n] and require('queue.executed_with')(group.keys[n], inbox, holders[n]) end
    if group.kind ~= 's' or not is_semaphore(holders[n]) then return false end
    return require('lib.permit_queue').is_kept_for(group.keys[n], group.reservation, group.turn_ms)
  end
end

-- Written only if necessary. ticket: the n-th. is_kept: whether its reservation has removed the place. It is added
-- again when that has ended: otherwise a process could get a second permit before the waiters behind it got one.
-- Returns whether it is.
local function renew(of, group, inbox, is_kept, n)
  local place = group.place
  local seen = call('ZSCORE', of, '@' .. place)
  if is_fresh(seen, PLACE_MS / 4) then return end
  if not seen and is_kept(n) then return true end
  join(of, not seen and group.ticket(n), place)
  if group.kind == 'x' then call('PEXPIRE', require('queue.deferred_key')(group.keys[n], inbox), PLACE_MS) end
end

-- Read when needed: where a place is missing, and for readers.
local function tickets_in(text)
  local all
  return function(n)
    if not all then
      all = {}
      for each in string.gmatch(text, '[^,]+') do all[#all + 1] = (all[1] or 0) + tonumber(each) end
    end
    return all[n]
  end
end

local function group_at(k, a, inbox)
  local size, tickets, reserved = unpack(ARGV, a, a + GROUP_ARGUMENTS - 1)
  return {
    size = tonumber(size), keys = { unpack(KEYS, k, k + size - 1) }, ticket = tickets_in(tickets),
    place = reserved .. ':' .. inbox, reservation = RESERVATION .. inbox,
    kind = string.match(reserved, '^[rs]') or 'x', turn_ms = tonumber(string.match(reserved, '%d+$')),
  }
end

local function refresh(group, inbox, left, signs)
  local holders = call('MGET', unpack(group.keys))
  local is_kept = is_kept_in(group, holders, inbox)
  if group.kind == 'x' then pcall(require('queue.hear_of'), inbox) end
  for n = 1, group.size do
    local of, holder = companion('queue', group.keys[n]), holders[n]
    -- Waiting only saves time, and an error with one name does not affect another.
    local may_renew, is_ours = pcall(renew, of, group, inbox, is_kept, n)
    local may_look, ms, sign = pcall(look, group, n, of, holder, inbox)
    if may_renew and is_ours and group.kind == 'x' then ms, sign = 0, nil end
    left[#left + 1] = may_look and ms or ''
    signs[#signs + 1] = may_look and sign or holder and signs_of.all_of(group.keys[n], holder) or ''
  end
end

return function(lock)
  local k, a, left, signs = lock.k, lock.a + 1, {}, {}
  for _ = 1, tonumber(ARGV[lock.a]) do
    local group = group_at(k, a, lock.owner)
    refresh(group, lock.owner, left, signs)
    k, a = k + group.size, a + GROUP_ARGUMENTS
  end
  local now = string.format('%.0f', now_ms())
  return 'places ' .. now .. ' ' .. table.concat(left, ',') .. ' ' .. table.concat(signs, ',')
end
