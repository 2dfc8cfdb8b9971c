-- A group of extends of plain mutexes that are held. Leaves it to the node never to shorten; servers before
-- Redis 7 refuse that.

-- Fills in the replies of those that are held, behind the n that are there.
return function(replies, n, ttl, size, k, a)
  local values, try = redis.pcall('MGET', unpack(KEYS, k, k + size - 1)), redis.pcall
  if values.err then return end
  for m = 1, size do
    if values[m] == ARGV[a + m - 1] then
      if type(try('PEXPIRE', KEYS[k + m - 1], ttl, 'GT')) ~= 'number' then return end
      replies[n + m] = 0
    end
  end
end
