-- Permits of a semaphore: one, or several that are taken, renewed and released together. The lock key holds the size
-- of the semaphore, see lib/semaphore_size.lua. Two sorted sets have the same members, the number
-- and the owner of each permit that is taken: lock.members by their ends, lock.numbers by their numbers. So no step
-- looks at more of them than it asks for, however many there are.
--
-- A permit is a mutex of its own: refused where another owner holds that permit, however many others are free. The
-- refusal says which are. Admitting any owner while fewer are taken than there are permits would be wrong on a quorum:
-- nodes that count different owners would admit more than there are permits.
--
-- Who waits for permits gets them in the order of the queue, see lib/permit_queue.lua. What is only needed where others
-- hold permits, or wait, is in files of its own: creating those functions costs as much as taking a permit.
-- luacheck: read globals MAX_PERMITS PERMITS_HOLDER

local companion = require('lib.companion')
local now_ms = require('lib.clock')
local call = redis.call

-- Of the value of a lock key; nothing where it is no semaphore's.
local function size_of(holder)
  return tonumber(string.match(holder or '', '^' .. PERMITS_HOLDER .. '(%d+)@?%d*$') or nil)
end

-- Whether the semaphore that has the lock key is ours: of our size, or resized.
local function is_same(lock, holder)
  return holder == lock.marker or size_of(holder) ~= nil and require('lib.semaphore_size').is_same(lock, holder)
end

-- Also where it has been resized.
local function ends_at(lock)
  return require('lib.ends_at')(lock, is_same)
end

-- The permits of a name whose lock key has that value. into: the table that they become
local function permits_of(key, queue, holder, into)
  local lock = into or { key = key, queue = queue }
  lock.marker, lock.permits = holder, size_of(holder)
  lock.members, lock.numbers = companion('permits', key), companion('numbers', key)
  return lock
end

local function prepare(lock)
  local text = ARGV[lock.a + 1]
  permits_of(lock.key, lock.queue, PERMITS_HOLDER .. ARGV[lock.a], lock)
  lock.first, lock.count = tonumber(text), 1
  lock.last = lock.first
  if not lock.first or lock.first < 0 or lock.first >= MAX_PERMITS or string.format('%.0f', lock.first) ~= text then
    lock.ranges, lock.count, lock.last = require('lib.numbers').ranges_in(text, MAX_PERMITS)
    lock.first = lock.count > 0 and lock.ranges[1][1]
  end
  -- They are taken and dropped together: the first stands for all.
  lock.member = lock.first and lock.first .. ':' .. lock.owner or ''
end

-- The lock key and the sets live as long as the last of the permits. last: when that ends, where it is known
local function settle(lock, last)
  if not last then
    last = tonumber(call('ZRANGE', lock.members, -1, -1, 'WITHSCORES')[2])
    if not last or last < now_ms() then
      call('DEL', lock.key, lock.members, lock.numbers)
      return
    end
    require('lib.numbers').sweep(lock)
  end
  local left = math.max(1, last - now_ms())
  call('SET', lock.key, lock.marker, 'PX', left)
  call('PEXPIRE', lock.members, left)
  call('PEXPIRE', lock.numbers, left)
end

local function is_ours(lock)
  return ends_at(lock) ~= nil
end

-- Never shortens, and always moves the end: others see by it that the lock was renewed.
local function put(lock, is_new)
  local ends = math.max((not lock.is_first and ends_at(lock) or 0) + 1, now_ms() + lock.ttl)
  if lock.count > 1 then
    require('lib.numbers').put(lock, lock.ranges, lock.owner, ends, is_new)
  else
    call('ZADD', lock.members, ends, lock.member)
    if is_new then call('ZADD', lock.numbers, lock.first, lock.member) end
  end
  settle(lock, lock.is_first and ends)
end

local function retime(lock)
  put(lock, false)
end

local function drop(lock)
  if lock.count > 1 then
    require('lib.numbers').remove(lock, lock.owner)
  else
    call('ZREM', lock.members, lock.member)
    call('ZREM', lock.numbers, lock.member)
  end
  settle(lock)
end

-- Those left over from an earlier tenure are not ours. Only after the first command that allocates memory, if there are
-- none: a node without memory refuses nothing after that. A size that is kept is looked for with them.
local function begin(lock)
  local found = call('EXISTS', lock.members, lock.numbers, companion('size', lock.key))
  if found > 0 or string.find(lock.marker, '@', 1, true) then
    require('lib.semaphore_size').recall(lock)
    if call('EXISTS', lock.members, lock.numbers) > 0 then call('DEL', lock.members, lock.numbers) end
  end
  lock.is_first = true
end

local function take(lock, is_acquire)
  if lock.count == 0 then error('ERR no permit is chosen', 0) end
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.reservation then
    if not is_same(lock, holder) then
      if size_of(holder) then return require('lib.foreign').refusal_as(holder), true end
      return require('lib.lock_key').refuse(holder, lock.key)
    end
    local is_new = is_acquire and not ends_at(lock)
    local refusal = require('lib.permit_queue').refusal_of(lock, is_new)
    if refusal then return refusal end
  else
    begin(lock)
    if is_acquire and lock.last >= lock.permits then return require('lib.permit_queue').refuse(lock, '') end
  end
  put(lock, true)
end

-- Tells those who wait, as far as there are permits for them.
local function offer(lock)
  if require('queue.place_at')(lock.queue, 0) then require('lib.permit_queue').offer(lock) end
end

-- All others are free after a lock of another kind, and some may be after one that wanted more than the next.
local function taken(lock)
  if lock.is_first or lock.is_waited_for then offer(lock) end
end

-- Of any owners.
local function expire(key, holder, texts)
  local lock = permits_of(key, nil, holder)
  require('lib.numbers').remove_all(lock, texts)
  settle(lock)
end

-- For waiters behind one that wanted the name as a whole, or more permits than they, and has left.
local function let_in(key, queue, holder)
  local lock = permits_of(key, queue, holder)
  require('lib.numbers').sweep(lock)
  offer(lock)
end

return {
  is_ours = is_ours, is_same = is_same, retime = retime, drop = drop, settle = settle, size_of = size_of,
  permits_of = permits_of,
  expire = expire, let_in = let_in,
  prepare = prepare,
  blocker = function(lock) return require('lib.permit_queue').blocker(lock) end,
  take = take,
  taken = taken,
  pass_on = offer,
  leave = function(lock) require('lib.permit_queue').leave(lock) end,
}
