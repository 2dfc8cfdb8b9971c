-- Removes a place; two, where another is given. Returns whether there was one.
return function(of, place, other)
  other = other or place
  return redis.call('ZREM', of, place, '@' .. place, other, '@' .. other) > 0
end
