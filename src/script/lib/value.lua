-- What a holder has proclaimed beside its lock, and the token of its lock. In a key beside the lock key, which is kept
-- as long as that. It begins with the beginning of the ownerId, so it never counts for the next owner, and need not be
-- deleted.

local companion = require('lib.companion')
local call = redis.call

local function begins(owner)
  return require('lib.lock_key').beginning_of(owner)
end

-- Of that holder of the key: its token, and the number and the text of what it proclaimed last. Undefined where it has
-- proclaimed nothing here.
local function of(key, holder)
  local stored = call('GET', companion('value', key)) or ''
  local beginning, token, number, text = string.match(stored, '^(%S+) (%d+) (%d+) (.*)$')
  if beginning and beginning == begins(holder) then return token, number, text end
end

-- Unless it has proclaimed another since: messages come in any order. Returns whether it is new here.
local function store(lock)
  local _, number = of(lock.key, lock.owner)
  -- Longer than the ttl of this step, where an earlier one was longer.
  local life = string.format('%.0f', math.max(1, call('PTTL', lock.key)))
  if number and tonumber(number) > tonumber(lock.number) then
    call('PEXPIRE', companion('value', lock.key), life)
    return false
  end
  local text = table.concat({ begins(lock.owner), lock.token, lock.number, lock.value }, ' ')
  call('SET', companion('value', lock.key), text, 'PX', life)
  return number ~= lock.number
end

local function forget(key)
  call('DEL', companion('value', key))
end

return { of = of, store = store, forget = forget }
