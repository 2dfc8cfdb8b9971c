-- A name that several clients hold at once: the lock key holds a marker (lock.marker), so that it excludes every
-- other kind of lock, and lives as long as the last of them. A sorted set (lock.members) has each (lock.member is
-- ours) with the instant at which it ends, ms.

local ends_at = require('lib.ends_at')
local now_ms = require('lib.clock')
local call = redis.call

local function is_ours(lock)
  return ends_at(lock) ~= nil
end

-- The lock key and the set expire with the last member.
local function settle(lock)
  local now = now_ms()
  call('ZREMRANGEBYSCORE', lock.members, '-inf', '(' .. now)
  local last = tonumber(call('ZRANGE', lock.members, -1, -1, 'WITHSCORES')[2])
  if last then
    call('SET', lock.key, lock.marker, 'PX', math.max(1, last - now))
    call('PEXPIRE', lock.members, math.max(1, last - now))
  else
    call('DEL', lock.key, lock.members)
  end
end

-- Members left over from an earlier tenure are not ours. Only after the first command that allocates memory, if there
-- are none: a node without memory refuses nothing after that.
local function begin(lock)
  if call('EXISTS', lock.members) == 1 then call('DEL', lock.members) end
  lock.is_first = true
end

-- Never shortens, and always moves the end: others see by it that the lock was renewed.
local function retime(lock)
  local ends = math.max((ends_at(lock) or 0) + 1, now_ms() + lock.ttl)
  call('ZADD', lock.members, ends, lock.member)
  settle(lock)
end

local function drop(lock)
  call('ZREM', lock.members, lock.member)
  settle(lock)
end

return {
  ends_at = ends_at, is_ours = is_ours, settle = settle, begin = begin, retime = retime, drop = drop,
}
