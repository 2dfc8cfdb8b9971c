-- The fence with which that holder, of that process, has got the name by its deferred acquire; undefined for any other.

return function(key, inbox, holder)
  local text = redis.call('GET', require('queue.deferred_key')(key, inbox)) or ''
  local fence, owner = string.match(text, '^%+(%d+) (.+)$')
  return owner == holder and fence
end
