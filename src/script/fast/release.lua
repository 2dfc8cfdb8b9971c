-- A group of releases of plain mutexes, if all are plain: held, the fence not below the token, nobody in
-- the queue.
-- luacheck: read globals KEY_LOCK KEY_FENCE KEY_QUEUE KEYS_OF_ALL ARG_OWNER ARG_FENCE ARG_INBOX

-- Whether they are, and done, and their replies filled in behind the n that are there.
return function(replies, n, size, k, a)
  local try, gone, queues = redis.pcall, {}, {}
  local values = try('MGET', unpack(KEYS, k, k + KEYS_OF_ALL * size - 1))
  if values.err then return false end
  for m = 1, size do
    local of, at = KEYS_OF_ALL * (m - 1), a + ARG_INBOX * (m - 1)
    local key, fence, token = KEYS[k + of + KEY_LOCK], values[of + 1 + KEY_FENCE], ARGV[at + ARG_FENCE]
    local is_lifted = fence == token or token == '' or (fence and (tonumber(fence) or 0) >= tonumber(token))
    if not is_lifted or values[of + 1 + KEY_LOCK] ~= ARGV[at + ARG_OWNER] or gone[key] then return false end
    gone[key], gone[m], queues[m], replies[n + m] = true, key, KEYS[k + of + KEY_QUEUE], 0
  end
  return try('EXISTS', unpack(queues)) == 0 and type(try('DEL', unpack(gone))) == 'number'
end
