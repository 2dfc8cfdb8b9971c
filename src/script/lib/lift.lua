-- Raises the fences of a lock to a token where they are lower: buckets that are higher are not lowered. Where it raises
-- none, what was read of the node's record with them is kept for a grant by the same step: lock.record. Returns the
-- list of the names that somebody may observe, see steps/watch.lua; nothing where it was not read.

return function(lock, token)
  if token == '' then return end
  local record = redis.call('HMGET', KEYS[1], 'id', 'top', 'endedUntilMs', 'observed', unpack(lock.buckets))
  local lower = {}
  for at, bucket in ipairs(lock.buckets) do
    local fence = record[at + 4]
    if not fence or tonumber(fence) < tonumber(token) then lower[#lower + 1] = bucket end
  end
  if #lower > 0 then require('lib.fences').write(lower, token) else lock.record = record end
  return record[4] or ''
end
