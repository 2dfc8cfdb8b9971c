-- A group of extends of plain mutexes that are held. Leaves it to the node never to shorten; servers before
-- Redis 7 refuse that.
-- luacheck: read globals SHOWN_OWNER

-- Fills in the replies of those that are held, behind the n that are there.
return function(replies, n, ttl, size, k, a)
  local values, try = redis.pcall('MGET', unpack(KEYS, k, k + size - 1)), redis.pcall
  if values.err then return end
  for m = 1, size do
    if values[m] == ARGV[a + m - 1] then
      local moved = try('PEXPIRE', KEYS[k + m - 1], ttl, 'GT')
      if type(moved) ~= 'number' then return end
      -- Where others go by its end it has to move.
      if moved == 1 or not string.find(values[m], SHOWN_OWNER) then replies[n + m] = 0 end
    end
  end
end
