-- The fence of a name, or of each name of a set.

-- The highest, of several.
local function last_fence()
  local last = call('GET', fence_key)
  for at = 2, #fences do
    local other = call('GET', fences[at])
    if other and (not last or tonumber(other) > tonumber(last)) then last = other end
  end
  return last
end

local function is_behind(token)
  local fence = last_fence()
  return not fence or tonumber(fence) < tonumber(token)
end

local function store(fence)
  for at = 1, #fences do call('SET', fences[at], fence, 'PX', retention) end
  return fence
end

-- Where it is lower: what stands in the others is not lowered.
local function lift(token)
  if token == '' then return end
  for at = 1, #fences do
    local fence = call('GET', fences[at])
    if not fence or tonumber(fence) < tonumber(token) then call('SET', fences[at], token, 'PX', retention) end
  end
end

-- As far as its token goes a hand-over is the release of the previous owner.
local function lift_to_previous()
  if previous_token then lift(previous_token) end
end

local function next_fence()
  local fence, last = math.min(math.max(tonumber(given), low), high), last_fence()
  if last and tonumber(last) >= fence then fence = tonumber(last) + 1 end
  if fence > 9007199254740991 then
    if last then store(last) end
    error('FENCE the fence would pass 2^53 - 1', 0)
  end
  return format('%.0f', fence)
end
