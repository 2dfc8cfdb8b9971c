-- Renews the places of one process, the owner, in the queues of many names, and says how these stand: the
-- node's clock, and of each name for how long it will go on refusing, ms, and how what its key holds begins.
-- 0 where it would grant, and where only an attempt can find out. Nothing if we may not look.
--
-- Of each name: lock key, queue and of a semaphore the members; ticket, place and of a semaphore the permits.
-- luacheck: read globals PERMITS_HOLDER RESERVATION SHARED_HOLDER

local now_ms = require('lib.clock')
local queue = require('lib.queue')
local call = redis.call

-- Full where so many stand there that have not ended.
local function left_of_permits(members, permits)
  call('ZREMRANGEBYSCORE', members, '-inf', '(' .. now_ms())
  if not call('ZRANGE', members, permits - 1, permits - 1)[1] then return 0 end
  return math.max(1, tonumber(call('ZRANGE', members, 0, 0, 'WITHSCORES')[2]) - now_ms())
end

local function left_of(name, holder, inbox)
  local left = call('PTTL', name.key)
  if left < 0 or not holder or holder == RESERVATION .. inbox then return 0 end
  if name.kind == 'r' and holder == SHARED_HOLDER then
    return queue.is_behind_writer(name.queue, name.ticket, inbox) and left or 0
  elseif name.kind == 's' and holder == PERMITS_HOLDER .. name.permits then
    return left_of_permits(name.members, tonumber(name.permits))
  end
  return left
end

local function names_of(lock)
  local k, a, names, lock_keys = lock.k, lock.a + 1, {}, {}
  for n = 1, tonumber(ARGV[lock.a]) do
    local ticket, reserved = ARGV[a], ARGV[a + 1]
    local kind = string.sub(reserved, 1, 1)
    local size = kind == 's' and 3 or 2
    names[n] = {
      key = KEYS[k], queue = KEYS[k + 1], members = KEYS[k + 2],
      ticket = tonumber(ticket), place = reserved .. ':' .. lock.owner, kind = kind, permits = ARGV[a + 2],
    }
    lock_keys[n], k, a = KEYS[k], k + size, a + size
  end
  return names, lock_keys
end

return function(lock)
  local names, lock_keys = names_of(lock)
  local holders, left, begins = call('MGET', unpack(lock_keys)), {}, {}
  for n, name in ipairs(names) do
    -- Waiting is for speed only, and what goes wrong with one name does not touch another.
    pcall(queue.refresh, name.queue, name.ticket, name.place)
    local may_look, ms = pcall(left_of, name, holders[n], lock.owner)
    left[n] = may_look and string.format('%.0f', ms) or ''
    begins[n] = holders[n] and string.gsub(string.sub(holders[n], 1, 6), ',', '.') or ''
  end
  local now = string.format('%.0f', now_ms())
  return 'places ' .. now .. ' ' .. table.concat(left, ',') .. ' ' .. table.concat(begins, ',')
end
