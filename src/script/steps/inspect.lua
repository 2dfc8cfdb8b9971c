-- All that is stored under a name: the value of the lock key and its remaining ttl, the fence, the number of waiters,
-- the holders next to the lock key, each with its remaining life, what the holder has proclaimed, and how long a lock
-- may last, as the record has it by now.
local companion = require('lib.companion')
local now_ms = require('lib.clock')
local call = redis.call

-- The owner of a lock key with a timestamp, if it is one of ours.
local function owner_of_timestamp(holder, key, ends)
  local stamp, owner = string.match(call('GET', companion('stamp', key)) or '', '^(%d+) (.*)$')
  return stamp == holder and { { owner, ends } } or {}
end

local function holders_of(holder, ends, key)
  if require('lib.timestamps').layout_of(holder) then return owner_of_timestamp(holder, key, ends) end
  return require('lib.holders_beside').beside(key, holder)
end

return function(lock)
  local holder, pttl = call('GET', lock.key), call('PTTL', lock.key)
  if holder and pttl < 0 then return require('lib.foreign').refusal(lock.key) end
  local beside = {}
  for _, found in ipairs(holders_of(holder or '', now_ms() + pttl, lock.key)) do
    local left = found[2] - now_ms()
    if left >= 0 then beside[#beside + 1], beside[#beside + 2] = found[1], left end
  end
  local proclaimed = holder and { require('lib.value').of(lock.key, holder) } or {}
  local waiting = require('queue.count')(lock.queue)
  local longest = call('HMGET', KEYS[1], 'maxTtlMs', 'clockStepMs')
  return { holder, pttl, require('lib.fences').last(lock) or false, waiting, beside, proclaimed, longest }
end
