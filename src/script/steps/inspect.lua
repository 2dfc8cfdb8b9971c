-- All that stands under a name: what the lock key holds and what is left of it, the fence, how many wait,
-- and who stands beside the lock key, each with what is left of it.
-- luacheck: read globals OWN_FIELDS OWNER_PREFIX PERMITS_HOLDER RESERVATION SHARED_HOLDER

local companion = require('lib.companion')
local now_ms = require('lib.clock')
local call = redis.call

local function begins_with(text, start)
  return string.find(text, start, 1, true) == 1
end

-- Who stands in a sorted set, with the instant at which each ends.
local function members_of(key)
  local all, found = call('ZRANGE', key, 0, -1, 'WITHSCORES'), {}
  for at = 1, #all, 2 do
    if not string.find(all[at], '^%d+:' .. RESERVATION) then found[#found + 1] = { all[at], all[at + 1] } end
  end
  return found
end

local function holds_in(key)
  local all, found = call('HGETALL', key), {}
  for at = 1, #all, 2 do
    local hold = string.match(all[at], '^' .. OWN_FIELDS .. 'hold:(.*)$')
    if hold then found[#found + 1] = { hold, all[at + 1] } end
  end
  return found
end

-- The owner of a lock key that says when it ends, if it is one of ours.
local function owner_of_timestamp(holder, key, ends)
  local stamp, owner = string.match(call('GET', companion('stamp', key)) or '', '^(%d+) (.*)$')
  return stamp == holder and { { owner, ends } } or {}
end

local function holders_of(holder, ends, key)
  if holder == SHARED_HOLDER then return members_of(companion('readers', key)) end
  if begins_with(holder, PERMITS_HOLDER) then return members_of(companion('slots', key)) end
  if begins_with(holder, OWNER_PREFIX) then return holds_in(companion('holds', key)) end
  if require('lib.timestamps').layout_of(holder) then return owner_of_timestamp(holder, key, ends) end
  return {}
end

return function(lock)
  local holder, pttl = call('GET', lock.key), call('PTTL', lock.key)
  if holder and pttl < 0 then return require('lib.foreign').refusal(lock.key) end
  local beside = {}
  for _, found in ipairs(holders_of(holder or '', now_ms() + pttl, lock.key)) do
    local left = tonumber(found[2]) - now_ms()
    if left >= 0 then beside[#beside + 1], beside[#beside + 2] = found[1], left end
  end
  local waiting = require('lib.queue').count(lock.queue)
  return { holder, pttl, require('lib.fences').last(lock) or false, waiting, beside }
end
