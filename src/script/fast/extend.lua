-- A group of extends of held exclusive locks. The server itself never shortens the ttl; servers before Redis 7 do not
-- support that.
-- luacheck: read globals SHOWN_OWNER

-- Fills in the replies of held locks, after the n existing ones.
return function(replies, n, ttl, size, k, a)
  local values, try = redis.pcall('MGET', unpack(KEYS, k, k + size - 1)), redis.pcall
  if values.err then return end
  for m = 1, size do
    if values[m] == ARGV[a + m - 1] then
      local moved = try('PEXPIRE', KEYS[k + m - 1], ttl, 'GT')
      if type(moved) ~= 'number' then return end
      -- Where other clients rely on its end, the end must move.
      if moved == 1 or not string.find(values[m], SHOWN_OWNER) then replies[n + m] = 0 end
    end
  end
end
