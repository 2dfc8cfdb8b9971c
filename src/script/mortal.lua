-- Creates a hash that expires, in one step.
--
-- KEYS[1] the hash
-- ARGV[1] its life, ms

-- First without an effect, so that nothing is written where expiries are not permitted.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], 'doctor', '0')
return redis.call('PEXPIRE', KEYS[1], ARGV[1])
