-- Removes a place; two, where another is given.
return function(of, place, other)
  other = other or place
  redis.call('ZREM', of, place, '@' .. place, other, '@' .. other)
end
