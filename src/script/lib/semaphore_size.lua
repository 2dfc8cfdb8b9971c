-- How many permits a semaphore has. What the lock key holds while some of them are held is a number and, once the
-- semaphore was resized, "@" and the version of that number. The newer version counts; of two that are the same, the
-- larger number. From then on it is kept in a key beside the lock key, too, which lives for good: a name that nobody
-- holds keeps its size.
--
-- Which permits there are is for the node alone to say, by the newest size that it knows. Callers bring the one that
-- they know, so that nodes that were away, or have lost their data, are told, and are told of a newer one in turn.
-- luacheck: read globals MAX_PERMITS MAX_SIZE_VERSION PERMITS_HOLDER

local companion = require('lib.companion')
local call, try = redis.call, redis.pcall

-- Of the value of a lock key, or of one that is kept. The version of one that was never resized is 0. What no client
-- could have sent is older than all: it would stay for good, and no client could read it, nor send what is newer.
local function parts_of(holder)
  local count, version = string.match(holder or '', '^' .. PERMITS_HOLDER .. '([1-9]%d*)@?(%d*)$')
  count, version = tonumber(count) or 0, tonumber(version) or 0
  if count > MAX_PERMITS or version > MAX_SIZE_VERSION then return 0, 0 end
  return count, version
end

local function key_of(key)
  return companion('size', key)
end

local function is_newer(count, version, than_count, than_version)
  return version > than_version or version == than_version and count > than_count
end

-- holder: what is stored here. What the caller brings is newer and is stored, or the lock goes on with what is here.
-- Returns whether the caller's is; undefined where both were never resized, and so are not of one semaphore. A node
-- without memory stores nothing, and must not refuse a release for that.
local function agree(lock, holder)
  local count, version = parts_of(holder)
  local own_count, own_version = parts_of(lock.marker)
  if version == 0 and own_version == 0 then return end
  if is_newer(own_count, own_version, count, version) then
    lock.unstored = try('SET', key_of(lock.key), lock.marker).err
    return true
  end
  lock.marker, lock.permits, lock.news = holder, count, string.sub(holder, #PERMITS_HOLDER + 1)
  return false
end

-- Of a semaphore that others hold: whether the caller's size and its own are of one semaphore. Where the caller's is
-- newer, those who wait are told what they get by it.
local function is_same(lock, holder)
  if holder == lock.marker then return true end
  local is_newest = agree(lock, holder)
  if is_newest then
    try('SET', lock.key, lock.marker, 'PX', math.max(1, call('PTTL', lock.key)))
    pcall(require('kinds.permit').let_in, lock.key, lock.queue, lock.marker)
  end
  return is_newest ~= nil
end

-- The same where nobody holds it.
local function recall(lock)
  local kept = call('GET', key_of(lock.key))
  if kept ~= lock.marker then agree(lock, kept) end
end

return { is_same = is_same, recall = recall }
