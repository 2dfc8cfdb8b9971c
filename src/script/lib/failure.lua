-- The reply of an operation that failed. It does not affect others.

return function(reason, key)
  local message = type(reason) == 'table' and reason.err or tostring(reason)
  if string.find(message, 'WRONGTYPE', 1, true) then
    local found = redis.pcall('TYPE', key).ok
    if found ~= 'none' and found ~= 'string' then return require('lib.foreign').refusal(key) end
  end
  return 'error ' .. message
end
