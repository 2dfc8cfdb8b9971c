-- An inspect of one who wants to be told when the holder changes: with the secret that messages prove. Telling only
-- saves time: a node that is out of memory answers, and tells nothing.
-- luacheck: read globals OBSERVED_LENGTH RECORD_KEY WATCH_MS

local call = redis.call

-- The list of observed names, which acquires and releases read with what they read of the record anyway, so that they
-- look beside names of it only: until when it is in force, ms; the fence buckets of the names that observers asked for
-- since it began; and behind ";" those of the list before it. It lasts for twice the time within which an observer asks
-- again, and after half of it a new one begins: so each observed name is in one of the two parts. A part of
-- OBSERVED_LENGTH does not grow any more; a list as long as that stands for any name.

local function add(bucket)
  local now = require('lib.clock')()
  local until_text, part, before = string.match(call('HGET', KEYS[1], 'observed') or '', '^(%d+)([,%d]+);([,%d]*)$')
  local left, until_new = (tonumber(until_text) or 0) - now, string.format('%013.0f', now + 2 * WATCH_MS)
  if left <= WATCH_MS then
    before = left > 0 and part or ''
    until_text, part = until_new, ','
  elseif left > 2 * WATCH_MS then
    -- The clock was set back: all that is listed may still be observed.
    until_text = until_new
  end
  if #part < OBSERVED_LENGTH and not string.find(part, ',' .. bucket .. ',', 1, true) then
    part = part .. bucket .. ','
  end
  call('HSET', KEYS[1], 'observed', until_text .. part .. ';' .. before)
end

-- Returns the secret. On a Cluster there are no messages.
local function watch(lock)
  if KEYS[1] ~= RECORD_KEY then return '' end
  local key = require('lib.companion')('watched', lock.key)
  local secret = call('GET', key) or lock.owner
  call('SET', key, secret, 'PX', WATCH_MS)
  add(lock.buckets[1])
  return secret
end

return function(lock)
  local found = require('steps.inspect')(lock)
  if type(found) ~= 'table' then return found end
  local may_tell, secret = pcall(watch, lock)
  found[#found + 1] = may_tell and secret or ''
  return found
end
