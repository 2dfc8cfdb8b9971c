-- Permits of a semaphore: one, or several that are taken, renewed and released together. The lock key holds the size of
-- the semaphore, so that it also excludes those of another size. Two sorted sets have the same members, the number and
-- the owner of each permit that is taken: lock.members by their ends, lock.numbers by their numbers. So no step looks at
-- more of them than it asks for, however many there are.
--
-- A permit is a mutex of its own: refused where another owner holds that permit, however many others are free. The
-- refusal says which are. Admitting any owner while fewer are taken than there are permits would be wrong on a quorum:
-- nodes that count different owners would admit more than there are permits.
--
-- Whoever wants permits gets them in the order of the queue: where the first waits for more than are free, those are
-- kept for it, and nobody behind it is let in. Once there are enough, they are reserved for it, for as long as a name
-- would be.
-- luacheck: read globals PERMITS_HOLDER RESERVATION SHARED_HOLDER

local companion = require('lib.companion')
local lock_key = require('lib.lock_key')
local members = require('lib.members')
local now_ms = require('lib.clock')
local numbers = require('lib.numbers')
local call = redis.call

local function size_of(holder)
  return tonumber(string.match(holder or '', '^' .. PERMITS_HOLDER .. '(%d+)$') or nil)
end

-- The permits of a name whose lock key has that value.
local function permits_of(key, queue, holder)
  return {
    key = key, queue = queue, marker = holder, permits = size_of(holder),
    members = companion('permits', key), numbers = companion('numbers', key),
  }
end

local function prepare(lock)
  local size, text = ARGV[lock.a], ARGV[lock.a + 1]
  for name, value in pairs(permits_of(lock.key, lock.queue, PERMITS_HOLDER .. size)) do lock[name] = value end
  lock.ranges, lock.count = numbers.ranges_in(text, lock.permits)
  -- They are taken and dropped together: the first stands for all.
  lock.member = lock.count > 0 and lock.ranges[1][1] .. ':' .. lock.owner or ''
end

-- When the last of them ends.
local function last_end(lock)
  return tonumber(call('ZRANGE', lock.members, -1, -1, 'WITHSCORES')[2])
end

-- The lock key and the sets live as long as the last of the permits.
local function settle(lock, last)
  if not last then
    numbers.sweep(lock)
    last = last_end(lock)
  end
  if not last then
    call('DEL', lock.key, lock.members, lock.numbers)
    return
  end
  local left = math.max(1, last - now_ms())
  call('SET', lock.key, lock.marker, 'PX', left)
  call('PEXPIRE', lock.members, left)
  call('PEXPIRE', lock.numbers, left)
end

-- Never shortens, and always moves the end: others see by it that the lock was renewed.
local function put(lock, is_new)
  local ends = math.max((not lock.is_first and members.ends_at(lock) or 0) + 1, now_ms() + lock.ttl)
  numbers.put(lock, lock.ranges, lock.owner, ends, is_new)
  settle(lock, lock.is_first and ends)
end

local function retime(lock)
  put(lock, false)
end

local function drop(lock)
  numbers.remove(lock, lock.ranges, lock.owner)
  settle(lock)
end

-- One of them, of any owner.
local function expire(key, holder, member)
  local lock = permits_of(key, nil, holder)
  call('ZREM', lock.members, member)
  call('ZREM', lock.numbers, member)
  settle(lock)
end

-- Reserves free permits for the first waiters that listen, in their order. The first that has to wait for more of them,
-- and its ticket; nothing where none has to.
local function offer(lock)
  local rank = 0
  while true do
    local place, ticket = require('queue.place_at')(lock.queue, rank)
    if not place then return end
    local wanted, ms, inbox = string.match(place, '^s(%d-),?(%d+):(.*)$')
    local count = ms and (tonumber(wanted) or 1)
    local is_too_many = count and count > lock.permits
    local free = is_too_many and {} or numbers.free(lock, count or 1)
    if count and #free == count then
      require('queue.leave')(lock.queue, place)
      local text = numbers.text_of(free)
      if require('lib.inbox')(inbox, ms .. '/' .. text .. ':' .. lock.key) > 0 then
        numbers.put(lock, numbers.ranges_in(text, lock.permits), RESERVATION .. inbox, now_ms() + ms, true)
        settle(lock)
      end
    elseif is_too_many then
      -- It waits for a larger semaphore.
      rank = rank + 1
    elseif #free == 0 or not require('queue.has_ended')(lock.queue, place) then
      return count and place, ticket
    end
  end
end

local function is_kept(lock)
  return lock.reservation and call('ZSCORE', lock.members, lock.ranges[1][1] .. ':' .. lock.reservation)
end

-- Whether others that came before us wait for permits, and so for all that are free. Those of our own process are in its
-- own wait queue.
local function is_behind(lock)
  local first, at = require('queue.place_at')(lock.queue, 0)
  lock.is_waited_for = first ~= nil
  if not first or string.sub(first, 1, 1) ~= 's' then return false end
  if lock.ticket and lock.ticket <= at or is_kept(lock) then return false end
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

-- Who has a permit that was asked for, nobody where it is for those before us that they are free; how many are taken; and
-- the smallest that are free.
local function refuse(lock, who)
  local free = who and numbers.text_of(numbers.free(lock, numbers.told(lock.count))) or ''
  local signs = require('lib.standing').signs(lock.key, lock.marker)
  local told = numbers.taken(lock) .. ' ' .. free .. ' ' .. lock_key.beginning_of(who or '')
  return 'taken ' .. left_of(lock) .. ' ' .. told .. ' ' .. signs
end

local function blocker(lock)
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.marker then return lock_key.refuse(holder, lock.key) end
  if not holder then return 'free' end
  numbers.sweep(lock)
  local who = numbers.holder_of(lock)
  return who and refuse(lock, who) or 'free'
end

local function begin(lock)
  members.begin(lock)
  if call('EXISTS', lock.numbers) == 1 then call('DEL', lock.numbers) end
end

local function take(lock, is_acquire)
  if lock.count == 0 then error('ERR no permit is chosen', 0) end
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.marker and holder ~= lock.reservation then
    if size_of(holder) then return require('lib.foreign').refusal_as(holder), true end
    return lock_key.refuse(holder, lock.key)
  end
  if holder == lock.marker then
    numbers.sweep(lock)
    if is_acquire and not members.ends_at(lock) then
      -- Queueing protects others only: without permission to look, or to tell them, it goes on.
      local may_look, is_late = pcall(is_behind, lock)
      if may_look and is_late then return refuse(lock) end
    end
    local who = numbers.holder_of(lock)
    if who then return refuse(lock, who) end
    if lock.reservation then numbers.remove(lock, lock.ranges, lock.reservation) end
  else
    begin(lock)
  end
  put(lock, true)
end

-- All others are free after a lock of another kind, and some may be after one that wanted more than the next.
local function taken(lock)
  if lock.is_first or lock.is_waited_for then offer(lock) end
end

-- For waiters behind one that wanted the name as a whole, or more permits than they, and has left.
local function let_in(key, queue, holder)
  local lock = permits_of(key, queue, holder)
  numbers.sweep(lock)
  offer(lock)
end

-- Leaves the queue; what is reserved for us, permits or the name, is passed on, and those behind us are told.
local function leave(lock)
  local has_left = require('queue.leave')(lock.queue, lock.place)
  local holder = call('GET', lock.key)
  if holder == lock.reservation then
    call('DEL', lock.key)
    require('lib.offers').offer(lock.key, lock.queue)
  elseif size_of(holder) then
    local is_kept = lock.count > 0 and is_kept(lock)
    if not is_kept and not has_left then return end
    -- The sender that passes it on need not know the size.
    lock.marker, lock.permits = holder, size_of(holder)
    if is_kept then numbers.remove(lock, lock.ranges, lock.reservation) end
    settle(lock)
    offer(lock)
    if call('EXISTS', lock.key) == 0 then require('lib.offers').offer(lock.key, lock.queue) end
  elseif holder == SHARED_HOLDER then
    require('lib.offers').notify_readers(lock.key, lock.queue)
  end
end

-- For a refresh: how long a place has to wait until as many permits have ended as it wants, ms; 0 where they are free, and
-- it is not behind others.
local function left_for(key, queue, holder, place)
  local lock = permits_of(key, queue, holder)
  local wanted = tonumber(string.match(place, '^s(%d+),') or 1)
  numbers.sweep(lock)
  local lacks = wanted - (lock.permits - numbers.taken(lock))
  if lacks > 0 then
    local ends = tonumber(call('ZRANGE', lock.members, lacks - 1, lacks - 1, 'WITHSCORES')[2])
    return ends and math.max(1, ends - now_ms()) or 0
  end
  local first = require('queue.place_at')(queue, 0)
  if first ~= place then first = offer(lock) end
  return first and first ~= place and math.max(1, left_of(lock)) or 0
end

-- For a refresh: whether a permit is reserved for a process. No reservation lasts longer than ms.
local function is_kept_for(key, reservation, ms)
  local of, from = companion('permits', key), 0
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

return {
  is_ours = members.is_ours, retime = retime, drop = drop,
  expire = expire, let_in = let_in, left_for = left_for, is_kept_for = is_kept_for,
  prepare = prepare,
  blocker = blocker,
  take = take,
  taken = taken,
  pass_on = offer,
  leave = leave,
}
