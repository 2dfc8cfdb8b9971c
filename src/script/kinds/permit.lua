-- One of the permits of a semaphore. The lock key holds the number of permits, so that it also excludes semaphores of
-- another size; the members are permit and owner of each permit that is held.
--
-- A permit is a mutex of its own: refused where another owner holds that permit, however many others are free. The
-- refusal says which permits are taken. Admitting any owner while there are fewer owners than permits would be wrong on
-- a quorum: nodes that count different owners would admit more than there are permits.
--
-- A permit that becomes free is reserved for the first waiter for one, for as long as a name would be.
-- luacheck: read globals PERMITS_HOLDER RESERVATION SHARED_HOLDER

local companion = require('lib.companion')
local lock_key = require('lib.lock_key')
local members = require('lib.members')
local now_ms = require('lib.clock')
local call = redis.call

-- A permit number out of range would be an extra permit. Undefined where none is chosen yet.
local function permit_of(text, permits)
  if text == '' then return end
  local permit = string.find(text, '^%d+$') and tonumber(text)
  local is_one = permit and permit < permits and string.format('%.0f', permit) == text
  if not is_one then error('ERR no permit ' .. text .. ' among ' .. permits, 0) end
  return permit
end

local function expire(key, marker, member)
  members.drop({ key = key, marker = marker, members = companion('permits', key), member = member })
end

local function prepare(lock)
  lock.permits, lock.permit = tonumber(ARGV[lock.a]), permit_of(ARGV[lock.a + 1], tonumber(ARGV[lock.a]))
  lock.members, lock.marker = companion('permits', lock.key), PERMITS_HOLDER .. ARGV[lock.a]
  lock.member = ARGV[lock.a + 1] .. ':' .. lock.owner
end

-- The holder of each permit, and ms until the first of them expires; reservations count only where all permits are
-- taken.
local function standing(lock)
  local taken, left, of_reservation = {}, nil, nil
  local all = call('ZRANGE', lock.members, 0, -1, 'WITHSCORES')
  for at = 1, #all, 2 do
    local score = tonumber(all[at + 1])
    if score >= now_ms() then
      local index, who = string.match(all[at], '^(%d+):(.*)$')
      taken[tonumber(index)] = who
      if string.find(who, RESERVATION, 1, true) == 1 then
        of_reservation = of_reservation or score - now_ms()
      else
        left = left or score - now_ms()
      end
    end
  end
  return taken, left or of_reservation
end

-- Who has the permit that was asked for, and which permits are taken, one digit for every four.
local function refuse(lock, taken, left)
  local digits = {}
  for at = 0, lock.permits - 1, 4 do
    local digit = 0
    for bit = 0, 3 do
      if taken[at + bit] then digit = digit + 2 ^ bit end
    end
    digits[#digits + 1] = string.format('%x', digit)
  end
  local signs = require('lib.standing').signs(lock.key, lock.marker)
  local beginning = lock_key.beginning_of(taken[lock.permit])
  return 'taken ' .. left .. ' ' .. table.concat(digits) .. ' ' .. beginning .. ' ' .. signs
end

-- Reserves a free permit for the first waiter that listens.
local function offer(lock, index)
  local inbox, ms = require('queue.offer_permit')(lock.key, lock.queue, index)
  if not inbox then return false end
  call('ZADD', lock.members, now_ms() + ms, index .. ':' .. RESERVATION .. inbox)
  members.settle(lock)
  return true
end

local function is_semaphore(holder)
  return holder and string.find(holder, PERMITS_HOLDER, 1, true) == 1
end

local function blocker(lock)
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.marker then return lock_key.refuse(holder, lock.key) end
  local taken, left = standing(lock)
  return holder and taken[lock.permit] and refuse(lock, taken, left) or 'free'
end

local function take(lock)
  if not lock.permit then error('ERR no permit is chosen', 0) end
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.marker and holder ~= lock.reservation then
    if is_semaphore(holder) then return require('lib.foreign').refusal_as(holder), true end
    return lock_key.refuse(holder, lock.key)
  end
  if holder == lock.marker then
    local taken, left = standing(lock)
    local who = taken[lock.permit]
    if who and who ~= lock.owner and who ~= lock.reservation then return refuse(lock, taken, left) end
    if who and who == lock.reservation then call('ZREM', lock.members, lock.permit .. ':' .. who) end
  else
    members.begin(lock)
  end
  members.retime(lock)
end

-- After a lock of another kind, all other permits are free.
local function taken(lock)
  if not lock.is_first then return end
  for index = 0, lock.permits - 1 do
    if index ~= lock.permit and not offer(lock, index) then return end
  end
end

local function pass_on(lock)
  offer(lock, lock.permit)
end

-- For waiters behind one that wanted the name as a whole, and has left.
local function let_in(key, queue, holder)
  local lock = { key = key, queue = queue, members = companion('permits', key), marker = holder }
  local permits = standing(lock)
  for index = 0, tonumber(string.sub(holder, #PERMITS_HOLDER + 1)) - 1 do
    if not permits[index] and not offer(lock, index) then return end
  end
end

-- Leaves the queue; a reservation for us, of this permit or of the name, is passed on, and readers behind us are told.
local function leave(lock)
  require('queue.leave')(lock.queue, lock.place)
  local holder = call('GET', lock.key)
  if holder == lock.reservation then
    call('DEL', lock.key)
    require('queue.offer')(lock.key, lock.queue)
  elseif lock.permit and is_semaphore(holder)
    and call('ZREM', lock.members, lock.permit .. ':' .. lock.reservation) == 1 then
    -- The sender that passes it on need not know the number of permits.
    lock.marker = holder
    members.settle(lock)
    local is_free = not offer(lock, lock.permit) and call('EXISTS', lock.key) == 0
    if is_free then require('queue.offer')(lock.key, lock.queue) end
  elseif holder == SHARED_HOLDER then
    require('queue.notify_readers')(lock.key, lock.queue)
  end
end

return {
  is_ours = members.is_ours, retime = members.retime, drop = members.drop,
  expire = expire, let_in = let_in,
  prepare = prepare,
  blocker = blocker,
  take = take,
  taken = taken,
  pass_on = pass_on,
  leave = leave,
}
