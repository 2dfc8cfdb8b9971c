-- How many permits a semaphore has, and which of them are free. What the caller brings is stored where it is newer.
-- Changes nothing else.

return function(lock)
  return require('lib.permit_queue').size(lock)
end
