-- The node's clock in ms since 1970, the same throughout a call. now_us: where the caller has asked already.

local now

return function(now_us)
  if not now then
    local time = not now_us and redis.call('TIME')
    now = math.floor((now_us or tonumber(time[1]) * 1000000 + tonumber(time[2])) / 1000)
  end
  return now
end
