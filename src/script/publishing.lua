-- Whether a script may publish with sharded pub/sub, as the waiters on a Cluster are told.
--
-- KEYS[1] a channel that nobody listens to
--
-- Returns 1 or 0.

return type(redis.pcall('SPUBLISH', KEYS[1], '')) == 'number' and 1 or 0
