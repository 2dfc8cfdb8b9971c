-- The reply to an acquire that asks how many wait: where it is refused because others hold a name, how many wait for
-- that. Waiting only saves time: without permission to look it is the refusal alone.

-- k: where the keys of the operation begin.
return function(reply, k)
  local said = type(reply) == 'string' and (string.match(reply, '^resized %S+ (.*)$') or reply)
  local word = said and string.match(said, '^%a+ ')
  if word ~= 'held ' and word ~= 'shared ' and word ~= 'taken ' and word ~= 'name ' then return reply end
  local at = tonumber(string.match(said, '^name (%d+) ') or 1)
  local may_look, count = pcall(require('queue.count'), require('lib.companion')('queue', KEYS[k + at - 1]))
  return may_look and 'waited ' .. count .. ' ' .. reply or reply
end
