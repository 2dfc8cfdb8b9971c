-- Numbers of the permits of a semaphore that are taken: lock.numbers has the number and the owner of each by number,
-- and lock.members the same by their ends. Several numbers are written as ranges: "0-2,5".

local now_ms = require('lib.clock')
local call = redis.call

-- Of a command; Lua's stack has a limit.
local MOST_MEMBERS = 1000

-- Lists of first and last, how many numbers that are, and the last. below: all are smaller, or no semaphore has them.
local function ranges_in(text, below)
  local ranges, count, last = {}, 0, -1
  if text == '' then return ranges, count, last end
  for each in string.gmatch(text .. ',', '([^,]*),') do
    local first, other = string.match(each, '^(%d+)%-?(%d*)$')
    local low = tonumber(first)
    local high = other ~= '' and tonumber(other) or low
    local is_known = low and low > last and high >= low and high < below
    if not is_known or (low == high and low or string.format('%.0f-%.0f', low, high)) .. '' ~= each then
      error('ERR no permit ' .. text .. ' among ' .. below, 0)
    end
    ranges[#ranges + 1], count, last = { low, high }, count + high - low + 1, high
  end
  return ranges, count, last
end

-- Calls it with the arguments of a command for all members of that owner: (score or number, member).
local function each_part(ranges, owner, with_score, run)
  local of_members, of_numbers = {}, {}
  for _, range in ipairs(ranges) do
    for number = range[1], range[2] do
      local member = number .. ':' .. owner
      if with_score then
        of_members[#of_members + 1], of_numbers[#of_numbers + 1] = with_score, number
      end
      of_members[#of_members + 1], of_numbers[#of_numbers + 1] = member, member
      if #of_members >= MOST_MEMBERS then
        run(of_members, of_numbers)
        of_members, of_numbers = {}, {}
      end
    end
  end
  if #of_members > 0 then run(of_members, of_numbers) end
end

-- is_new: they may not be among the numbers yet.
local function put(lock, ranges, owner, ends, is_new)
  each_part(ranges, owner, string.format('%.0f', ends), function(by_end, by_number)
    call('ZADD', lock.members, unpack(by_end))
    if is_new then call('ZADD', lock.numbers, unpack(by_number)) end
  end)
end

-- Of those that the lock is about, what that owner has.
local function remove(lock, owner)
  each_part(lock.ranges or { { lock.first, lock.first } }, owner, nil, function(all)
    call('ZREM', lock.members, unpack(all))
    call('ZREM', lock.numbers, unpack(all))
  end)
end

-- Those members, of any owners.
local function remove_all(lock, members)
  for from = 1, #members, MOST_MEMBERS do
    local some = { unpack(members, from, math.min(from + MOST_MEMBERS - 1, #members)) }
    call('ZREM', lock.members, unpack(some))
    call('ZREM', lock.numbers, unpack(some))
  end
end

-- Removes those that have ended.
local function sweep(lock)
  local most = 1
  while true do
    local all, ended = call('ZRANGE', lock.members, 0, most - 1, 'WITHSCORES'), {}
    for at = 1, #all, 2 do
      if tonumber(all[at + 1]) < now_ms() then ended[#ended + 1] = all[at] end
    end
    if #ended == 0 then return end
    call('ZREM', lock.members, unpack(ended))
    call('ZREM', lock.numbers, unpack(ended))
    most = MOST_MEMBERS
  end
end

return { ranges_in = ranges_in, put = put, remove = remove, remove_all = remove_all, sweep = sweep }
