-- Runs commands if no larger token was seen. KEYS: the fence, then the key of each command. ARGV: the
-- token, the retention in ms (empty: unlimited), then for each command its name, the number of its
-- arguments after the key, and these arguments.
--
-- Tokens remain the strings they arrived as: Lua drops two digits when it writes a number of 16 digits.
-- They are compared as numbers, which are exact up to 2^53. The fence is set first, so that a server
-- that must not write (`maxmemory`, too few replicas) refuses before any command is run.

local seen = redis.call('GET', KEYS[1])
if seen then
  local fence = tonumber(seen)
  if not fence then return redis.error_reply('ERR fence ' .. KEYS[1] .. ' holds no fencing token') end
  if fence > tonumber(ARGV[1]) then return { seen } end
end
if ARGV[2] == '' then redis.call('SET', KEYS[1], ARGV[1])
else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
local replies, at = {}, 3
for index = 2, #KEYS do
  local last = at + 1 + tonumber(ARGV[at + 1])
  replies[index - 1] = redis.call(ARGV[at], KEYS[index], unpack(ARGV, at + 2, last))
  at = last + 1
end
return { ARGV[1], replies }
