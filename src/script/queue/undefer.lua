-- Drops the deferred acquire of a process.

return function(key, inbox)
  redis.call('DEL', require('queue.deferred_key')(key, inbox))
end
