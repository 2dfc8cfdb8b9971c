-- Renews the places of one process in the queues of many names, and says how these stand: the node's
-- clock, and of each name for how long it will go on refusing, ms, and how what its key holds begins.
-- 0 where it would grant, and where only an attempt can find out. Nothing if we may not look.
-- luacheck: read globals PLACE_MS

-- Full as long as the last of so many stands there. What has ended does not.
local function left_of_permits(slots, permits, now)
  call('ZREMRANGEBYSCORE', slots, '-inf', '(' .. now)
  if not call('ZRANGE', slots, permits - 1, permits - 1)[1] then return 0 end
  return math.max(1, tonumber(call('ZRANGE', slots, 0, 0, 'WITHSCORES')[2]) - now)
end

local function left_of(key, queue, slots, holder, ticket, kind, permits, inbox)
  local left = call('PTTL', key)
  if left < 0 or not holder or holder == 'turn:' .. inbox then return 0 end
  if kind == 'r' and holder == 'shared:' and not is_behind_writer(queue, tonumber(ticket), inbox) then return 0 end
  if kind == 's' and holder == 'semaphore:' .. permits then return left_of_permits(slots, tonumber(permits), now_ms()) end
  return left
end

-- Of each: lock key, queue and of a semaphore the slots; ticket, turn and of a semaphore the permits.
local function refresh()
  local inbox, at, of, locks, first_keys, first_args = args[a], a + 1, k, {}, {}, {}
  while at <= a_end do
    locks[#locks + 1], first_keys[#locks + 1], first_args[#locks + 1] = keys[of], of, at
    local size = string.sub(args[at + 1], 1, 1) == 's' and 3 or 2
    at, of = at + size, of + size
  end
  local holders, answers, begins = call('MGET', unpack(locks)), { format('%.0f', now_ms()) }, {}
  for n = 1, #locks do
    of, at = first_keys[n], first_args[n]
    local queue, turn, holder = keys[of + 1], args[at + 1], holders[n]
    local place = turn .. ':' .. inbox
    local seen = try('ZSCORE', queue, '@' .. place)
    -- Not written more often than needs be.
    if type(seen) ~= 'string' or not is_fresh(seen, PLACE_MS / 4) then pcall(stand, queue, args[at], place) end
    local could, left = pcall(left_of, keys[of], queue, keys[of + 2], holder, args[at], string.sub(turn, 1, 1), args[at + 2], inbox)
    answers[n + 1] = could and format('%.0f', left) or ''
    begins[n] = holder and string.gsub(string.sub(holder, 1, 6), '[,;]', '.') or ''
  end
  return 'Y' .. table.concat(answers, ',') .. ';' .. table.concat(begins, ',')
end
