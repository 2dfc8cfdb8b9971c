-- Deferred acquires. With its place a waiter for an exclusive lock leaves the acquire that it would send when its turn
-- comes. The node executes it as soon as the name is free, in the step that frees it, and the message about that is
-- its vote: the waiter need not ask.
--
-- One per process and name, in a key beside the lock key: the number of the call that left it, when that was (ms), the
-- record that the caller knew, the place, how old it may be (ms), and what it asks for. Once executed, "+", its fence
-- and the owner that it was for: a refresh finds out if the message is lost, and an acquire of that owner gets the same
-- fence.
--
-- A waiter may have gone, and so a deferred acquire is only executed if its process was heard of shortly before: in
-- the call that left it, or in a later refresh of any of its places. The message says in which call: for the waiter,
-- its lock begins with the moment at which it sent that.
-- luacheck: read globals NO_RECORD PLACE_MS RESERVED_PREFIX

local companion = require('lib.companion')
local now_ms = require('lib.clock')
local slot = require('lib.slot')
local call = redis.call

-- The record that the caller knows. A Cluster has none, and so never another.
local known_record = slot and NO_RECORD or ARGV[1]

local function key_of(key, inbox)
  return companion('deferred-' .. inbox, key)
end

local function now_text()
  return ARGV[3] .. ' ' .. string.format('%.0f', now_ms()) .. ' ' .. known_record
end

-- Replaces the one of an earlier attempt, which is over. acquire: "" for none. Who does not compare records cannot tell
-- whether the message is a vote.
local function store(key, place, inbox, acquire)
  if acquire ~= '' and known_record ~= '' then
    local reply = redis.pcall('SET', key_of(key, inbox), now_text() .. ' ' .. place .. ' ' .. acquire, 'PX', PLACE_MS)
    if not reply.err then return end
  end
  -- Also where there is no memory for the next.
  call('DEL', key_of(key, inbox))
end

local function drop(key, inbox)
  call('DEL', key_of(key, inbox))
end

-- Its owner is over. Unless the place has gone on with another attempt, it is left, as by a leave: what is reserved for
-- it is given up, and those are let in that waited behind it only.
local function withdraw(lock)
  local key = key_of(lock.key, lock.inbox)
  local place, owner = string.match(call('GET', key) or '', '^%d+ %d+ %S+ (%S+) %d+ %d+ (.+)$')
  -- It may have come without, to a node whose votes did not count.
  if owner and owner ~= lock.owner or not owner and lock.ticket > 0 then return end
  if owner then call('DEL', key) end
  local has_left = require('queue.leave')(lock.queue, place or lock.place, 'r' .. (place or lock.place))
  local holder = redis.pcall('GET', lock.key)
  if lock.ticket == 0 and holder == lock.reservation then
    call('DEL', lock.key)
  elseif has_left then
    require('lib.offers').let_in(lock.key, lock.queue, holder)
  end
end

-- Keeps it as long as the place.
local function renew(key, inbox)
  call('PEXPIRE', key_of(key, inbox), PLACE_MS)
end

local function seen_by(inbox)
  return RESERVED_PREFIX .. 'seen:' .. inbox .. (slot and ':' .. slot or '')
end

-- The process has just been heard of.
local function is_alive(inbox)
  call('SET', seen_by(inbox), now_text(), 'PX', PLACE_MS)
end

-- The fence with which that holder, of that process, has got the name by its deferred acquire; undefined for any other.
local function executed_with(key, inbox, holder)
  local fence, owner = string.match(call('GET', key_of(key, inbox)) or '', '^%+(%d+) (.+)$')
  return owner == holder and fence
end

-- In both directions: the node's clock may be set back.
local function is_recent(at, most)
  return math.abs(now_ms() - tonumber(at)) <= tonumber(most)
end

-- The number of the last call in which the process was heard of, if that is not too long ago; and the record that it
-- knew.
local function number_of(number, at, known, most, inbox)
  if is_recent(at, most) then return number, known end
  number, at, known = string.match(call('GET', seen_by(inbox)) or '', '^(%d+) (%d+) (%S*)$')
  return number and is_recent(at, most) and number, known
end

local function fence_of(lock, top)
  local now, slack = now_ms() * 1000, tonumber(ARGV[2])
  return require('lib.draw')({
    token = lock.proposal, top = tonumber(top or 0), buckets = lock.buckets, low = now - slack, high = now + slack,
  })
end

-- Of a key that is free. lock: the one that was released; of is the queue, and the place is no longer in it. Returns
-- whether the waiter has it now, and has been told.
local function execute(lock, of, place, inbox)
  local key = key_of(lock.key, inbox)
  local left_in, at, left_under, left_with, most, ttl, owner =
    string.match(call('GET', key) or '', '^(%d+) (%d+) (%S+) (%S+) (%d+) (%d+) (.+)$')
  -- Never for the owner that this step ends.
  if left_with ~= place or lock.proposal == '' or owner == lock.owner then return false end
  local id, top = unpack(call('HMGET', KEYS[1], 'id', 'top'))
  if slot then id = NO_RECORD end
  -- It would be no vote for who knew the node before it lost its data; and one that is back with an older state may be
  -- over.
  local number, known = number_of(left_in, at, left_under, most, inbox)
  local fence = number and id == known and id == left_under and fence_of(lock, top)
  local is_over = fence and require('lib.ended').is_ended({ key = lock.key, owner = owner })
  if not fence or is_over or not call('SET', lock.key, owner, 'NX', 'PX', ttl) then return false end
  call('SET', key, '+' .. fence .. ' ' .. owner, 'PX', ttl)
  local is_waited_for = require('queue.place_at')(of, 0) and 1 or 0
  -- Whoever reads the channel cannot make it: the owner is a secret, and so is the record.
  local proof = redis.sha1hex(owner .. ' ' .. id .. ' ' .. number .. ' ' .. fence)
  local message = table.concat({ 'granted', fence, number, is_waited_for, proof, lock.key }, ' ')
  local is_told, count = pcall(require('lib.inbox'), inbox, message)
  if is_told and count > 0 then return true end
  call('DEL', lock.key, key)
  return false
end

return {
  store = store, drop = drop, withdraw = withdraw, renew = renew, is_alive = is_alive, executed_with = executed_with,
  execute = execute,
}
