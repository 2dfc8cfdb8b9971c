-- How long a name is kept for an owner whose lease was extended beyond its ttl: longer than its ownerId says, by which
-- others tell that it is no longer renewed. Until that time is over, a key beside the lock key says so instead.
--
-- It is named after the beginning of the ownerId, so it never counts for the next owner, and need not be deleted.
-- luacheck: read globals SHOWN_OWNER

local companion = require('lib.companion')
local call = redis.call

-- shown: the beginning of the ownerId: its number, and the characters that others may see.
local function key_of(key, shown)
  return companion('kept-' .. string.match(shown, '~(.*)$'), key)
end

-- The beginning of the ownerId, with the longer of both times.
local function shown_by(key, shown)
  local kept = call('GET', key_of(key, shown))
  if not kept or tonumber(kept) <= tonumber(string.match(shown, '^%d+')) then return shown end
  return kept .. string.match(shown, '~.*$')
end

-- Each lock key of a lock, with the key beside it; none where nobody looks at the ownerId.
local function each(lock, act)
  local shown = string.match(lock.owner, SHOWN_OWNER)
  if not shown then return end
  for _, key in ipairs(lock.lock_keys or { lock.key }) do act(key_of(key, shown)) end
end

-- Says that the name is kept for lock.kept after lock.ttl was set, unless it is kept for longer already.
local function keep(lock)
  each(lock, function(key)
    local kept = math.max(lock.kept, tonumber(call('GET', key) or 0))
    local life = math.max(lock.ttl, call('PTTL', key))
    call('SET', key, string.format('%.0f', kept), 'PX', string.format('%.0f', life))
  end)
end

local function forget(lock)
  each(lock, function(key) call('DEL', key) end)
end

return { shown = shown_by, keep = keep, forget = forget }
