-- The exclusive lock of one name: the lock key holds the ownerId.

local lock_key = require('lib.lock_key')
local call = redis.call

local function prepare(lock, _, a_end)
  if a_end > lock.a then lock.previous, lock.previous_token = ARGV[lock.a], ARGV[lock.a + 1] end
end

local function is_ours(lock)
  return call('GET', lock.key) == lock.owner
end

local function retime(lock)
  require('lib.standing').retime(lock.key, lock.owner, lock.ttl)
end

local function drop(lock)
  call('DEL', lock.key)
end

-- Restores it.
local function take(lock)
  local holder = call('GET', lock.key)
  if holder and holder ~= lock.reservation then return lock_key.refuse(holder, lock.key) end
  call('SET', lock.key, lock.owner, 'PX', lock.ttl)
end

-- For its token, a hand-over is the release of the previous owner. The key remains the previous owner's until the
-- fence is stored: if that fails, it is left for that owner's release.
local function acquire(lock)
  if not lock.is_created then
    lock.is_created = call('SET', lock.key, lock.owner, 'NX', 'PX', lock.ttl)
  end
  local holder = call('GET', lock.key)
  local is_handed_over = holder and holder == lock.previous and holder ~= lock.owner
  if lock.previous then require('lib.fences').lift(lock, lock.previous_token) end
  if holder ~= lock.owner and not is_handed_over and (not holder or holder ~= lock.reservation) then
    if lock.place then pcall(require('lib.queue').join, lock.queue, lock.ticket, lock.place) end
    return lock_key.refuse(holder, lock.key)
  end
  local fence = lock.token == '' and 0 or require('lib.fences').draw(lock)
  if holder == lock.owner then retime(lock) else call('SET', lock.key, lock.owner, 'PX', lock.ttl) end
  if not lock.place and not lock.previous then return fence end
  -- Waiting only saves time; without permission to look, assumes that others wait.
  local queue = require('lib.queue')
  if lock.place then pcall(queue.leave, lock.queue, lock.place) end
  local may_look, other = pcall(queue.place_at, lock.queue, 0)
  local is_waited_for = other or not may_look
  return 'granted ' .. fence .. ' ' .. (is_handed_over and 1 or 0) .. ' ' .. (is_waited_for and 1 or 0)
end

return { prepare = prepare, is_ours = is_ours, retime = retime, drop = drop, take = take, acquire = acquire }
