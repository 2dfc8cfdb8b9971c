-- Removes a place; two, where another is given. Returns whether there was one.
return function(of, place, other)
  if not other then return redis.call('ZREM', of, place, '@' .. place) > 0 end
  return redis.call('ZREM', of, place, '@' .. place, other, '@' .. other) > 0
end
