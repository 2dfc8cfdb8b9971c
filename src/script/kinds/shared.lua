-- Many readers, each with its own expiry.
--
-- A reader does not overtake a writer that queued earlier, nor any writer if it has no place in the queue: otherwise
-- a stream of readers would starve writers.
-- luacheck: read globals SHARED_HOLDER

local companion = require('lib.companion')
local lock_key = require('lib.lock_key')
local members = require('lib.members')
local call = redis.call

local function expire(key, marker, texts)
  for _, member in ipairs(texts) do
    members.drop({ key = key, marker = marker, members = companion('readers', key), member = member })
  end
end

local function let_in(key, queue)
  require('queue.notify_readers')(key, queue)
end

local function prepare(lock)
  lock.members, lock.member, lock.marker = companion('readers', lock.key), lock.owner, SHARED_HOLDER
end

local function take(lock, is_acquire)
  local holder = call('GET', lock.key)
  local is_held = holder and holder ~= SHARED_HOLDER and holder ~= lock.reservation
  if is_held then return lock_key.refuse(holder, lock.key) end
  if holder ~= SHARED_HOLDER then
    members.begin(lock)
  elseif is_acquire and not members.ends_at(lock) then
    -- Queueing protects others only: a reader without permission to read the queue continues.
    local may_look, is_behind, has_opened =
      pcall(require('queue.is_behind_writer'), lock.queue, lock.ticket, lock.inbox)
    lock.has_opened = may_look and has_opened
    if may_look and is_behind then
      if has_opened then require('queue.notify_readers')(lock.key, lock.queue) end
      return lock_key.refuse(holder, lock.key)
    end
  end
  members.retime(lock)
end

-- After the first reader, the others can acquire it, too; and after one that has removed who kept them out.
local function taken(lock)
  if lock.is_first or lock.has_opened then require('queue.notify_readers')(lock.key, lock.queue) end
end

return {
  is_ours = members.is_ours, retime = members.retime, drop = members.drop,
  expire = expire, let_in = let_in,
  prepare = prepare,
  take = take,
  taken = taken,
}
