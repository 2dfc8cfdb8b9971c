-- Executes the deferred acquire of a waiter, see queue/defer.lua.
--
-- A waiter may have gone, and so it is only executed if its process was heard of shortly before: in the call that left
-- it, or in a later refresh of any of its places. The message says in which call: for the waiter, its lock begins with
-- the moment at which it sent that.
-- luacheck: read globals NO_RECORD

local call = redis.call

-- In both directions: the node's clock may be set back.
local function is_recent(at, most)
  return math.abs(require('lib.clock')() - tonumber(at)) <= tonumber(most)
end

-- The number of the last call in which the process was heard of, if that is not too long ago; and the record that it
-- knew.
local function number_of(number, at, known, most, inbox)
  if is_recent(at, most) then return number, known end
  local seen = call('GET', require('queue.seen_key')(inbox)) or ''
  number, at, known = string.match(seen, '^(%d+) (%d+) (%S*)$')
  return number and is_recent(at, most) and number, known
end

local function fence_of(lock, top)
  local now_us = 1000 * require('lib.clock')()
  return require('lib.draw_fence')({
    token = lock.proposal, top = tonumber(top or 0), buckets = lock.buckets, now_us = now_us,
  })
end

-- Of a key that is free. lock: the one that was released; of is the queue, and the place is no longer in it. Returns
-- whether the waiter has it now, and has been told.
return function(lock, of, place, inbox)
  local key = require('queue.deferred_key')(lock.key, inbox)
  local left_in, at, left_under, left_with, most, ttl, owner =
    string.match(call('GET', key) or '', '^(%d+) (%d+) (%S+) (%S+) (%d+) (%d+) (.+)$')
  -- Never for the owner that this step ends.
  if left_with ~= place or lock.proposal == '' or owner == lock.owner then return false end
  local id, top, ended_until = unpack(lock.record or call('HMGET', KEYS[1], 'id', 'top', 'endedUntilMs'))
  -- A fence that is drawn changes it.
  lock.record = nil
  local tag = require('lib.hash_tag')
  if tag then id = NO_RECORD end
  -- It would be no vote for who knew the node before it lost its data; and one that is back with an older state may be
  -- over.
  local number, known = number_of(left_in, at, left_under, most, inbox)
  local fence = number and id == known and id == left_under and fence_of(lock, top)
  -- On a Cluster, nothing says for all names whether there are such owners.
  local may_be_over = fence and (tag or require('lib.clock')() < tonumber(ended_until or 0))
  local is_over = may_be_over and require('lib.ended').is_ended({ key = lock.key, owner = owner })
  if not fence or is_over then return false end
  local is_waited_for = require('queue.is_waited_for')(of, require('lib.clock')()) and '1' or '0'
  -- Whoever reads the channel cannot make it: the owner is a secret, and so is the record.
  local proof = redis.sha1hex(owner .. ' ' .. id .. ' ' .. number .. ' ' .. fence)
  local message = table.concat({ 'granted', fence, number, is_waited_for, proof, lock.key }, ' ')
  -- Not by the message itself: whoever still listens to the former master would take it for a vote.
  local is_known, is_heard = pcall(require('lib.inbox').is_heard, inbox)
  if not is_known or not is_heard or not call('SET', lock.key, owner, 'NX', 'PX', ttl) then return false end
  call('SET', key, '+' .. fence .. ' ' .. owner, 'PX', ttl)
  require('lib.inbox').send(inbox, message)
  return true
end
