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
-- Returns run_id, role, mode, eviction policy, maxmemory, node time in ms, commands of the batch script
-- that the user may not run or the server lacks (before Redis 7 without EVALSHA), then the record: id, run_id,
-- state, time written in ms, node count, longest ttl in ms. No record, and nothing is written, if it is not
-- a master, or a member of a Cluster. Fails with "ERR <command> failed: <why>".

local function call(name, ...)
  local reply = redis.pcall(name, ...)
  -- The error of a server before 7.2 does not say which command it is about.
  if type(reply) == 'table' and reply.err then error('ERR ' .. name .. ' failed: ' .. reply.err, 0) end
  return reply
end

-- Before Redis 7 the server cannot be asked: it is tried, with a key that does not exist.
local function may_run(command)
  if redis.acl_check_cmd then
    local is_known, is_allowed = pcall(redis.acl_check_cmd, unpack(command))
    return is_known and is_allowed
  end
  local reply = redis.pcall(unpack(command))
  local why = type(reply) == 'table' and reply.err or ''
  return not (string.find(why, "can't run this command", 1, true) or string.find(why, 'Unknown Redis command', 1, true))
end

local function denied_commands()
  local none, denied = KEYS[1] .. ':none', {}
  local commands = {
    { 'GET', none }, { 'MGET', none }, { 'HGET', none, 'id' }, { 'HMGET', none, 'id' },
    { 'SET', none, '', 'XX' }, { 'DEL', none }, { 'PTTL', none }, { 'PEXPIRE', none, '1' }, { 'EXISTS', none },
  }
  -- No script may run the one, and to try the other would write.
  if redis.acl_check_cmd then
    table.insert(commands, 1, { 'EVALSHA', '', '0' })
    table.insert(commands, { 'HSET', none, 'id', '' })
  end
  for _, command in ipairs(commands) do
    if not may_run(command) then denied[#denied + 1] = command[1] end
  end
  return table.concat(denied, ' ')
end

local function handshake()
  local info = call('INFO', 'server') .. call('INFO', 'replication') .. call('INFO', 'memory')
  -- Found as it is, and not by a pattern: that is tried at every character of the whole text.
  local function field(name)
    local _, before = string.find(info, '\n' .. name .. ':', 1, true)
    return before and string.match(info, '^[^\r\n]*', before + 1) or ''
  end
  local run_id, role, mode = field('run_id'), field('role'), field('redis_mode')
  -- As Valkey calls it.
  if mode == '' then mode = field('server_mode') end
  local t = call('TIME')
  local now_ms = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
  local about = { run_id, role, mode, field('maxmemory_policy'), field('maxmemory'),
    string.format('%.0f', now_ms), denied_commands() }
  if role ~= 'master' or mode == 'cluster' then return about end

  local fields = { 'id', 'runId', 'state', 'writtenMs', 'nodeCount', 'maxTtlMs' }
  local record = call('HMGET', KEYS[1], unpack(fields))
  local function write(...)
    call('HSET', KEYS[1], ...)
    record = call('HMGET', KEYS[1], unpack(fields))
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
end

local is_done, reply = pcall(handshake)
return is_done and reply or redis.error_reply(type(reply) == 'table' and reply.err or tostring(reply))
