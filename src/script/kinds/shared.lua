-- Many readers, each with an expiry of its own.
--
-- A reader does not come before a writer that waits in the queue and came earlier, nor before any if
-- it has no place there itself: else readers that follow each other would keep a writer out for ever.
-- luacheck: read globals SHARED_HOLDER

local companion = require('lib.companion')
local lock_key = require('lib.lock_key')
local members = require('lib.members')
local call = redis.call

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
    -- Waiting in turn is for others' sake: who may not look into the queue goes on without.
    local may_look, is_behind = pcall(require('lib.queue').is_behind_writer, lock.queue, lock.ticket, lock.inbox)
    if may_look and is_behind then return lock_key.refuse(holder, lock.key) end
  end
  members.retime(lock)
end

-- With the first of them the others can have it too.
local function taken(lock)
  if lock.is_first then require('lib.offers').notify_readers(lock.key, lock.queue) end
end

return {
  is_ours = members.is_ours, retime = members.retime, drop = members.drop,
  prepare = prepare,
  take = take,
  taken = taken,
}
