-- Many readers, each with an expiry of its own.
--
-- A reader does not come before a writer that waits in the queue and came earlier, nor before any if
-- it has no place there itself: else readers that follow each other would keep a writer out for ever.
-- A writer that nobody listens to any more does not count.
-- luacheck: read globals SHARED_HOLDER

local lock_key = require('lib.lock_key')
local members = require('lib.members')
local call = redis.call

local function prepare(lock)
  lock.members, lock.member, lock.marker = KEYS[lock.k], lock.owner, SHARED_HOLDER
end

-- Writers of our own process stand in its line: there we come first, or would not ask.
local function is_behind_writer(lock)
  local at = 0
  while true do
    local first = call('ZRANGE', lock.queue, at, at, 'WITHSCORES')
    if not first[1] or lock.ticket and lock.ticket < tonumber(first[2]) then return false end
    local inbox = string.match(first[1], '^s?%d+:(.*)$')
    if not inbox or inbox == lock.inbox then
      at = at + 1
    elseif require('lib.inbox')(inbox, '') > 0 then
      return true
    else
      call('ZREM', lock.queue, first[1])
    end
  end
end

local function take(lock, is_acquire)
  local holder = call('GET', lock.key)
  local is_held = holder and holder ~= SHARED_HOLDER and holder ~= lock.reservation
  if is_held then return lock_key.refuse(holder, lock.key) end
  if holder ~= SHARED_HOLDER then
    members.begin(lock)
  elseif is_acquire and not members.ends_at(lock) then
    -- Waiting in turn is for others' sake: who may not look into the queue goes on without.
    local may_look, is_behind = pcall(is_behind_writer, lock)
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
