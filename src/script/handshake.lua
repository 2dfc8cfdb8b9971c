-- Who the server is, and its record, in one atomic step.
--
-- KEYS[1]  the node's record
-- ARGV[1]  id for the record if one has to be written
-- ARGV[2]  1 if the sender knew a record of this node before
-- ARGV[3]  node count of the sender's configuration
-- ARGV[4]  longest ttl of the sender, ms
-- ARGV[5]  1 if a restart that kept the record has kept the keys too
-- ARGV[6]  id to open: if the record still has it, its state becomes open; "" opens nothing
--
-- Returns run_id, role, eviction policy, maxmemory, node time in ms, then the record:
-- id, run_id, state, time written in ms, node count, longest ttl in ms.

local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
  .. redis.call('INFO', 'memory')
local function field(name)
  return string.match(info, '\n' .. name .. ':([^\r\n]*)') or ''
end
local run_id, role = field('run_id'), field('role')
local t = redis.call('TIME')
local now_ms = t[1] * 1000 + math.floor(t[2] / 1000)
local about = { run_id, role, field('maxmemory_policy'), field('maxmemory'),
  string.format('%.0f', now_ms) }
if role ~= 'master' then return about end

local fields = { 'id', 'runId', 'state', 'writtenMs', 'nodeCount', 'maxTtlMs' }
local record = redis.call('HMGET', KEYS[1], unpack(fields))
local function write(...)
  redis.call('HSET', KEYS[1], ...)
  record = redis.call('HMGET', KEYS[1], unpack(fields))
end

if not record[1] then
  local state = ARGV[2] == '1' and 'forgot' or 'fresh'
  write('id', ARGV[1], 'runId', run_id, 'state', state,
    'writtenMs', string.format('%.0f', now_ms), 'nodeCount', ARGV[3], 'maxTtlMs', ARGV[4])
elseif record[2] ~= run_id then
  if ARGV[5] == '1' then
    write('runId', run_id)
  else
    write('id', ARGV[1], 'runId', run_id, 'state', 'forgot',
      'writtenMs', string.format('%.0f', now_ms))
  end
end
if tonumber(ARGV[4]) > tonumber(record[6]) then write('maxTtlMs', ARGV[4]) end
if ARGV[6] ~= '' and record[1] == ARGV[6] and record[3] == 'fresh' then write('state', 'open') end
for i = 1, #fields do about[#about + 1] = record[i] end
return about
