-- The place of that rank, from 0, among those that count; and its ticket. Removes those that do not.
-- luacheck: read globals PLACE_MS

local call = redis.call

return function(of, rank)
  while true do
    local place, ticket = unpack(call('ZRANGE', of, rank, rank, 'WITHSCORES'))
    if not place or string.sub(place, 1, 1) == '@' then return end
    if require('queue.is_fresh')(call('ZSCORE', of, '@' .. place), PLACE_MS) then return place, tonumber(ticket) end
    require('queue.leave')(of, place)
  end
end
