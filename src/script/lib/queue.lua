-- Those who wait for a name: a sorted set by ticket of places, each how long the name is reserved for it,
-- ms, and its inbox. An "r" in front is a reader's, an "s" that of one who wants any permit.
-- luacheck: read globals QUEUE_TTL_MS

local call = redis.call

local function join(lock)
  call('ZADD', lock.queue, lock.ticket, lock.place)
  call('PEXPIRE', lock.queue, QUEUE_TTL_MS)
end

return { join = join }
