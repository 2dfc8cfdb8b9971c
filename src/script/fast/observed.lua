-- Which names anybody may observe: steps/watch.lua keeps a list of their fence buckets in the node's record. Acquires
-- and releases read it with what they read there anyway, and look beside names in these buckets only.
-- luacheck: read globals ARG_BUCKET

return {
  -- Whether the list is in force. Removes one that is not, so that nobody reads it again.
  is_in_force = function(list, now_us)
    local is_over = now_us >= 1000 * (tonumber(string.match(list, '^%d+')) or 0)
    if is_over then redis.pcall('HDEL', KEYS[1], 'observed') end
    return not is_over
  end,
  -- Whether nobody observes a name of a group, whose first key is KEYS[k]. The arguments of its operations begin at a,
  -- step apart.
  has_none = function(list, size, k, a, step)
    local is_listed = string.find(list, '*', 1, true)
    for m = 0, is_listed and -1 or size - 1 do
      is_listed = is_listed or string.find(list, ',' .. ARGV[a + step * m + ARG_BUCKET] .. ',', 1, true)
    end
    return not is_listed or require('fast.has_none_beside')(k, k + size - 1, 'watched')
  end,
}
