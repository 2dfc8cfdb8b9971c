-- The fence of a grant: the proposal, limited to around the node's clock (lock.now_us), or the next above the last;
-- stored. A multiple of FENCE_STEP, see protocol/fencing.ts.
--
-- lock.top: the node's highest fence, where the caller knows it; a proposal above it is stored without reading the
-- others, which is nearly always possible.
-- luacheck: read globals FENCE_STEP MAX_FENCE

return function(lock)
  local fence = tonumber(lock.token)
  local low, high = lock.now_us - ARGV[2], lock.now_us + ARGV[2]
  local is_near = fence >= low and fence <= high
  if lock.top and is_near and fence % FENCE_STEP == 0 and fence > lock.top then
    redis.call('HSET', KEYS[1], 'top', lock.token, lock.buckets[1], lock.token)
    return lock.token
  end
  local fences = require('lib.fences')
  local last = tonumber(fences.last(lock) or 0)
  fence = math.min(math.max(fence, low), high)
  fence = fence - fence % FENCE_STEP
  if last >= fence then fence = last - last % FENCE_STEP + FENCE_STEP end
  if fence > MAX_FENCE - FENCE_STEP then error('FENCE the fence would pass 2^53 - 1', 0) end
  return fences.store(lock, string.format('%.0f', fence))
end
