-- Removes all keys. Keeps the node's record without its fences, which one lower bound replaces. The handshake script
-- follows in the same step, so that no lock manager finds that the node's data is gone; it writes a record if there was
-- none.
--
-- KEYS[1] the record
-- ARGV    of the handshake; after these the highest fence to keep, as a test may have spoiled it

local limit = tonumber(table.remove(ARGV))
local fields = redis.call('HGETALL', KEYS[1])
redis.call('FLUSHALL')
for n = 1, #fields, 2 do
  local field, value = fields[n], fields[n + 1]
  local fence = field == 'top' and tonumber(value)
  -- luacheck: globals ARGV
  if field == 'id' then
    ARGV[1], ARGV[9] = value, value
  end
  if fence and fence <= limit then
    redis.call('HSET', KEYS[1], 'top', value, 'floor', value)
  elseif field ~= 'top' and field ~= 'floor' and not tonumber(field) then
    redis.call('HSET', KEYS[1], field, value)
  end
end
