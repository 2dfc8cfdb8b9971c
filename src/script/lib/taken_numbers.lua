-- Which permits of a semaphore are taken: lock.numbers has the number and the owner of each, by number.
--
-- A number n of rank r in the set is the r-th that is taken, so that n - r smaller ones are free. All searches rely on
-- that, and take a number of commands that grows with the logarithm of the permits.

local call = redis.call

-- Of a command that reads all.
local AT_ONCE = 1000

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

-- How many smaller ones are taken. from: so many are at least, if that is known
local function below(lock, number, from)
  return first_rank(from or 0, number, function(rank)
    local found = at_rank(lock, rank)
    return found ~= nil and found < number
  end)
end

local function count(lock)
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
    -- A number that is there twice is none of ours, but must not keep the node busy for ever.
    if next_taken < number then rank = rank + 1 end
    while number < next_taken and #found < most do
      found[#found + 1], number = number, number + 1
    end
    number = math.max(number, next_taken)
  end
  return found
end

-- All that are free. Where that many are told, reading those that are taken costs less than searching each gap.
local function all_free(lock)
  local found, number, rank = {}, 0, 0
  repeat
    local some = call('ZRANGE', lock.numbers, rank, rank + AT_ONCE - 1, 'WITHSCORES')
    for at = 2, #some, 2 do
      local next_taken = math.min(tonumber(some[at]), lock.permits)
      for each = number, next_taken - 1 do found[#found + 1] = each end
      number = math.max(number, next_taken + 1)
    end
    rank = rank + AT_ONCE
  until #some < 2 * AT_ONCE
  for each = number, lock.permits - 1 do found[#found + 1] = each end
  return found
end

-- How many a refusal lists: more than are wanted, as other nodes may have given some to others.
local function told(wanted)
  return 2 * wanted + 8
end

-- Whoever else has one of those that were asked for; nobody where they are free, ours or kept for us.
local function holder_of(lock)
  local rank
  for _, range in ipairs(lock.ranges or { { lock.first, lock.first } }) do
    -- From where the range before it began: from zero, many ranges would cost as many searches in all that are taken.
    rank = below(lock, range[1], rank)
    local all = call('ZRANGE', lock.numbers, rank, rank + range[2] - range[1], 'WITHSCORES')
    for at = 1, #all, 2 do
      if tonumber(all[at + 1]) > range[2] then break end
      local who = string.match(all[at], '^%d+:(.*)$')
      if who ~= lock.owner and who ~= lock.reservation then return who end
    end
  end
end

return { text_of = text_of, count = count, free = free, all_free = all_free, told = told, holder_of = holder_of }
