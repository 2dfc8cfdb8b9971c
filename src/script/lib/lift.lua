-- Raises the fences of a lock to a token where they are lower: buckets that are higher are not lowered.

return function(lock, token)
  if token == '' then return end
  local lower = {}
  for at, fence in ipairs(redis.call('HMGET', KEYS[1], unpack(lock.buckets))) do
    if not fence or tonumber(fence) < tonumber(token) then lower[#lower + 1] = lock.buckets[at] end
  end
  if #lower > 0 then require('lib.fences').write(lower, token) end
end
