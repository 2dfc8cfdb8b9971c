-- Whether a key changes while this script runs, which it cannot where scripts are atomic.
--
-- KEYS[1] a key that another connection writes, again and again
-- ARGV[1] how often to look
--
-- Returns 1 if it has changed, 0 if that was not seen. Counts instead of measuring: in many servers, time stands
-- still within a script.

local first = redis.call('GET', KEYS[1])
for _ = 1, tonumber(ARGV[1]) do
  if redis.call('GET', KEYS[1]) ~= first then return 1 end
end
return 0
