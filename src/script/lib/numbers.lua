-- Numbers of the permits of a semaphore that are taken: lock.numbers has the number and the owner of each by number, and
-- lock.members the same by their ends. Several numbers are written as ranges: "0-2,5".
--
-- A number of rank r in the set is the r-th that is taken, so that n - r smaller ones are free. All searches rely on that,
-- and take a number of commands that grows with the logarithm of the permits.

local now_ms = require('lib.clock')
local call = redis.call

-- Of a command; Lua's stack has a limit.
local MOST_MEMBERS = 1000

-- Lists of first and last, and how many numbers that are. A number out of range would be an extra permit.
local function ranges_in(text, permits)
  local ranges, count, last = {}, 0, -1
  if text == '' then return ranges, count end
  for each in string.gmatch(text .. ',', '([^,]*),') do
    local first, other = string.match(each, '^(%d+)%-?(%d*)$')
    local low = tonumber(first)
    local high = other ~= '' and tonumber(other) or low
    local is_known = low and low > last and high >= low and high < permits
    if not is_known or (low == high and low or string.format('%.0f-%.0f', low, high)) .. '' ~= each then
      error('ERR no permit ' .. text .. ' among ' .. permits, 0)
    end
    ranges[#ranges + 1], count, last = { low, high }, count + high - low + 1, high
  end
  return ranges, count
end

local function text_of(list)
  local parts, at = {}, 1
  while list[at] do
    local first, last = list[at], list[at]
    while list[at + 1] == last + 1 do at, last = at + 1, last + 1 end
    parts[#parts + 1] = first == last and first or first .. '-' .. last
    at = at + 1
  end
  return table.concat(parts, ',')
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

local function remove(lock, ranges, owner)
  each_part(ranges, owner, nil, function(all)
    call('ZREM', lock.members, unpack(all))
    call('ZREM', lock.numbers, unpack(all))
  end)
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

local function at_rank(lock, rank)
  return tonumber(call('ZRANGE', lock.numbers, rank, rank, 'WITHSCORES')[2])
end

-- The first rank from low on, below high, for which it does not hold; it holds for all before that.
local function first_rank(low, high, holds)
  local step = 1
  while low + step <= high and holds(low + step - 1) do low, step = low + step, 2 * step end
  high = math.min(high, low + step - 1)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if holds(middle) then low = middle + 1 else high = middle end
  end
  return low
end

-- How many smaller ones are taken.
local function below(lock, number)
  return first_rank(0, number, function(rank)
    local found = at_rank(lock, rank)
    return found ~= nil and found < number
  end)
end

local function taken(lock)
  return below(lock, lock.permits)
end

-- The smallest that are free, at most so many.
local function free(lock, most)
  local found, number, rank = {}, 0, 0
  while #found < most and number < lock.permits do
    -- Those that are taken without a gap from this one on.
    local gap = number - rank
    rank = first_rank(rank, lock.permits, function(at) return at_rank(lock, at) == at + gap end)
    number = rank + gap
    local next_taken = math.min(at_rank(lock, rank) or lock.permits, lock.permits)
    while number < next_taken and #found < most do
      found[#found + 1], number = number, number + 1
    end
    number = next_taken
  end
  return found
end

-- How many a refusal lists: more than are wanted, as other nodes may have given some to others.
local function told(count)
  return 2 * count + 8
end

-- Whoever else has one of those that were asked for; nobody where they are free, ours or kept for us.
local function holder_of(lock)
  for _, range in ipairs(lock.ranges) do
    local rank = below(lock, range[1])
    local all = call('ZRANGE', lock.numbers, rank, rank + range[2] - range[1], 'WITHSCORES')
    for at = 1, #all, 2 do
      if tonumber(all[at + 1]) > range[2] then break end
      local who = string.match(all[at], '^%d+:(.*)$')
      if who ~= lock.owner and who ~= lock.reservation then return who end
    end
  end
end

return {
  ranges_in = ranges_in, text_of = text_of, put = put, remove = remove, sweep = sweep, taken = taken, free = free,
  told = told, holder_of = holder_of,
}
