-- Those who observe a name are told who holds it, all at once: by a message on a channel of the name. Only while there
-- are any: they keep a key beside the lock key, and the node's record lists where there may be any.
--
-- What a message says is what a node would answer, so nobody has to ask. It begins with a proof: the key has a secret
-- that only those know who may ask. It names no ownerId: a holder is the hash of its.
-- luacheck: read globals RESERVATION WATCH_CHANNEL

local call = redis.call

-- "free <fence>", or "held <fence> <number> <who> <bytes of the label> <label><value>".
local function standing(key, buckets)
  local holder, last = call('GET', key), require('lib.fences').last({ buckets = buckets }) or '0'
  if not holder or string.find(holder, RESERVATION, 1, true) == 1 then return 'free ' .. last end
  local token, number, text = require('lib.value').of(key, holder)
  local label = require('lib.lock_key').label_of(holder)
  local words = { 'held', token or last, number or '0', redis.sha1hex(holder), #label, label .. (text or '') }
  return table.concat(words, ' ')
end

-- After a step that may have changed who holds it.
local function tell(key, buckets)
  local secret = call('GET', require('lib.companion')('watched', key))
  if not secret then return end
  local text = standing(key, buckets)
  call('PUBLISH', WATCH_CHANNEL .. key, redis.sha1hex(secret .. ' ' .. text) .. ' ' .. text)
end

-- That only saves time: an error does not affect the step. Of a set, for each name.
return function(lock)
  for at, key in ipairs(lock.lock_keys or { lock.key }) do pcall(tell, key, { lock.buckets[at] }) end
end
