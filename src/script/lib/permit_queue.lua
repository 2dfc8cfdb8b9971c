-- Who gets permits of a semaphore that others hold, or wait for: see kinds/permit.lua.
--
-- Whoever wants permits gets them in the order of the queue: where the first waits for more than are free, those are
-- kept for it, and nobody behind it is let in. Once there are enough, they are reserved for it, for as long as a name
-- would be.
-- luacheck: read globals PERMITS_HOLDER RESERVATION SHARED_HOLDER

local lock_key = require('lib.lock_key')
local now_ms = require('lib.clock')
local numbers = require('lib.numbers')
local permit = require('kinds.permit')
local place_at = require('queue.place_at')
local taken_numbers = require('lib.taken_numbers')
local call = redis.call

-- The smallest as many as are wanted; where there are not enough, one at most, which is found with few commands: it is
-- looked for with every acquire behind one that waits for many.
local function free_for(lock, count)
  local is_enough = count == 1 or lock.permits - taken_numbers.count(lock) >= count
  return taken_numbers.free(lock, is_enough and count or 1)
end

-- Reserves free permits for the first waiters that listen, in their order. The first that has to wait for more of them,
-- and its ticket; nothing where none has to.
local function offer(lock)
  local rank = 0
  while true do
    local place, ticket = place_at(lock.queue, rank)
    if not place then return end
    local wanted, ms, inbox = string.match(place, '^s(%d-),?(%d+):(.*)$')
    local count = ms and (tonumber(wanted) or 1)
    local is_too_many = count and count > lock.permits
    local free = is_too_many and {} or free_for(lock, count or 1)
    if count and #free == count then
      require('queue.leave')(lock.queue, place)
      local text = taken_numbers.text_of(free)
      if require('lib.inbox').send(inbox, ms .. '/' .. text .. ':' .. lock.key) > 0 then
        numbers.put(lock, numbers.ranges_in(text, lock.permits), RESERVATION .. inbox, now_ms() + ms, true)
        permit.settle(lock)
      end
    elseif is_too_many then
      -- It gives up when it hears of that.
      rank = rank + 1
    elseif #free == 0 or not require('queue.has_ended')(lock.queue, place) then
      return count and place, ticket
    end
  end
end

local function is_kept(lock)
  return lock.reservation and call('ZSCORE', lock.members, lock.first .. ':' .. lock.reservation)
end

-- An acquire of more than were reserved for its process has to come before those that wait for the others.
local function are_all_kept(lock)
  for _, range in ipairs(lock.reservation and lock.ranges or {}) do
    for number = range[1], range[2] do
      if not call('ZSCORE', lock.members, number .. ':' .. lock.reservation) then return false end
    end
  end
  return is_kept(lock)
end

-- Whether others that came before us wait for permits, and so for all that are free. Those of our own process are in
-- its own wait queue.
local function is_behind(lock)
  local first, at = place_at(lock.queue, 0)
  lock.is_waited_for = first ~= nil
  if not first or string.sub(first, 1, 1) ~= 's' then return false end
  if lock.ticket and lock.ticket <= at or are_all_kept(lock) then return false end
  first, at = offer(lock)
  if not first or lock.ticket and lock.ticket <= at then return false end
  return string.match(first, ':(.*)$') ~= lock.inbox
end

-- Ms until the first of all ends. Reservations count only where there is nothing else.
local function left_of(lock)
  local all = call('ZRANGE', lock.members, 0, 15, 'WITHSCORES')
  local ends = tonumber(all[2])
  for at = 1, #all, 2 do
    if not string.find(all[at], '^%d+:' .. RESERVATION) then
      ends = tonumber(all[at + 1])
      break
    end
  end
  return ends and math.max(0, ends - now_ms()) or 0
end

-- Who has a permit that was asked for, nobody where it is for those before us that they are free; how many are taken;
-- and the smallest that are free.
local function refuse(lock, who)
  local free = who and taken_numbers.text_of(taken_numbers.free(lock, taken_numbers.told(lock.count))) or ''
  local signs = require('lib.signs').all_of(lock.key, lock.marker)
  local told = taken_numbers.count(lock) .. ' ' .. free .. ' ' .. lock_key.beginning_of(who or '')
  return 'taken ' .. left_of(lock) .. ' ' .. told .. ' ' .. signs
end

-- Why permits of a semaphore that others hold cannot be taken; nothing where they can. is_new: they are asked for now,
-- and so in the order of the queue
local function refusal_of(lock, is_new)
  numbers.sweep(lock)
  if is_new then
    -- Queueing protects others only: without permission to look, or to tell them, it goes on.
    local may_look, is_late = pcall(is_behind, lock)
    if may_look and is_late then return refuse(lock) end
  end
  local who = taken_numbers.holder_of(lock)
  -- A permit that there is no more goes to nobody who does not have it.
  if not who and is_new and lock.last >= lock.permits then who = '' end
  if who then return refuse(lock, who) end
  if lock.reservation then numbers.remove(lock, lock.reservation) end
end

local function blocker(lock)
  local holder = call('GET', lock.key)
  if not holder then return 'free' end
  if not permit.is_same(lock, holder) then return lock_key.refuse(holder, lock.key) end
  numbers.sweep(lock)
  local who = lock.count > 0 and taken_numbers.holder_of(lock)
  return who and refuse(lock, who) or 'free'
end

-- Leaves the queue; what is reserved for us, permits or the name, is passed on, and those behind us are told.
local function leave(lock)
  local has_left = require('queue.leave')(lock.queue, lock.place)
  local holder = call('GET', lock.key)
  local size = permit.size_of(holder)
  if holder == lock.reservation then
    call('DEL', lock.key)
    require('queue.offer')(lock.key, lock.queue)
  elseif size then
    local is_passed_on = lock.count > 0 and is_kept(lock)
    if not is_passed_on and not has_left then return end
    -- The sender that passes it on need not know the size.
    lock.marker, lock.permits = holder, size
    if is_passed_on then numbers.remove(lock, lock.reservation) end
    permit.settle(lock)
    offer(lock)
    if call('EXISTS', lock.key) == 0 then require('queue.offer')(lock.key, lock.queue) end
  elseif holder == SHARED_HOLDER then
    require('queue.notify_readers')(lock.key, lock.queue)
  end
end

-- For a refresh: how long a place has to wait until as many permits have ended as it wants, ms; 0 where they are free,
-- and it is not behind others, and where it wants more than there are.
local function left_for(key, queue, holder, place)
  local lock = permit.permits_of(key, queue, holder)
  local wanted = tonumber(string.match(place, '^s(%d+),') or 1)
  -- Its process has to hear that there are fewer.
  if wanted > lock.permits then return 0 end
  numbers.sweep(lock)
  local lacks = wanted - (lock.permits - taken_numbers.count(lock))
  if lacks > 0 then
    local ends = tonumber(call('ZRANGE', lock.members, lacks - 1, lacks - 1, 'WITHSCORES')[2])
    return ends and math.max(1, ends - now_ms()) or 0
  end
  local first = place_at(queue, 0)
  if first ~= place then first = offer(lock) end
  return first and first ~= place and math.max(1, left_of(lock)) or 0
end

-- For a refresh: whether a permit is reserved for a process. No reservation lasts longer than ms.
local function is_kept_for(key, reservation, ms)
  local of, from = permit.permits_of(key).members, 0
  while true do
    local all = call('ZRANGE', of, from, from + 63, 'WITHSCORES')
    for at = 1, #all, 2 do
      local left = tonumber(all[at + 1]) - now_ms()
      if left > ms then return false end
      if left >= 0 and string.match(all[at], '^%d+:(.*)$') == reservation then return true end
    end
    if #all < 128 then return false end
    from = from + 64
  end
end

-- The size of a semaphore and the numbers of its permits that are free.
local function size(lock)
  local holder, free = call('GET', lock.key), ''
  if permit.size_of(holder) then
    if not permit.is_same(lock, holder) then return require('lib.foreign').refusal_as(holder) end
    numbers.sweep(lock)
    free = taken_numbers.text_of(taken_numbers.all_free(lock))
  else
    require('lib.semaphore_size').recall(lock)
    if not holder then free = lock.permits > 1 and '0-' .. lock.permits - 1 or '0' end
  end
  if lock.unstored then error(lock.unstored, 0) end
  return 'size ' .. string.sub(lock.marker, #PERMITS_HOLDER + 1) .. ' ' .. free
end

return {
  offer = offer, refuse = refuse, refusal_of = refusal_of, size = size, blocker = blocker, leave = leave,
  left_for = left_for, is_kept_for = is_kept_for,
}
