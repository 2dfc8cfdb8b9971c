-- Whether anybody may observe a name of a group, and does. The list has the fence buckets of such names, see
-- steps/watch.lua. The group's first key is KEYS[k]; the arguments of its operations begin at a, step apart.
-- luacheck: read globals ARG_BUCKET OBSERVED_LENGTH

return function(list, size, k, a, step)
  local is_listed = #list >= OBSERVED_LENGTH
  for m = 0, is_listed and -1 or size - 1 do
    -- Also within another number: to look for it between commas costs more. The keys beside the names decide.
    is_listed = is_listed or string.find(list, ARGV[a + step * m + ARG_BUCKET], 1, true)
  end
  return is_listed and not require('fast.has_none_beside')(k, k + size - 1, 'watched')
end
