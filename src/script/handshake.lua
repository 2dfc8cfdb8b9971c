-- Who the server is, and its record, in one atomic step.
--
-- KEYS[1]  the node's record
-- ARGV[1]  id for the record if one has to be written
-- ARGV[2]  state of a record that is written because there is none; "" writes none
-- ARGV[3]  node count of the sender's configuration
-- ARGV[4]  longest ttl of the sender, ms
-- ARGV[5]  the most that a node's clock may gain, as the sender has it, ms
-- ARGV[6]  the sender's wall clock, ms
-- ARGV[7]  1 if a restart that kept the record has kept the keys too
-- ARGV[8]  what the record becomes: opening, open or attested; "" is nothing
-- ARGV[9]  the id that it must have for that
-- ARGV[10] to opening: the ids of the records of all nodes; to attested: what all fences from now on are above
--
-- Returns run_id, role, mode, eviction policy, maxmemory, node time in ms, commands of the batch script
-- that the user may not run or the server lacks (before Redis 7 without EVALSHA), then, if it has one, the record:
-- id, run_id, state, time written in ms, the same by the writer's clock, node count, longest ttl in ms, largest gain
-- of a clock in ms, ids of all nodes' records, highest fence. Nothing is written if it is not a master, or a member of
-- a Cluster. Fails with "ERR <command> failed: <why>".

local FIELDS = {
  'id', 'runId', 'state', 'writtenMs', 'writerMs', 'nodeCount', 'maxTtlMs', 'clockStepMs', 'fellows', 'top',
}

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

  local id, state, of = unpack(call('HMGET', KEYS[1], 'id', 'state', 'runId'))
  local function write(...)
    call('HSET', KEYS[1], ...)
  end
  local function write_anew(state_then)
    id, state = ARGV[1], state_then
    write('id', id, 'runId', run_id, 'state', state, 'fellows', '',
      'writtenMs', string.format('%.0f', now_ms), 'writerMs', ARGV[6])
  end
  local function raise(name, value)
    local has = tonumber(call('HGET', KEYS[1], name) or nil)
    if tonumber(value) > (has or -1) then write(name, value) end
  end

  if not id then
    if ARGV[2] == '' then return about end
    write_anew(ARGV[2])
    write('nodeCount', ARGV[3])
  elseif of ~= run_id then
    if ARGV[7] == '1' then write('runId', run_id) else write_anew('forgot') end
  end
  raise('maxTtlMs', ARGV[4])
  raise('clockStepMs', ARGV[5])
  if id == ARGV[9] then
    if ARGV[8] == 'opening' and state == 'fresh' then
      write('state', 'opening', 'fellows', ARGV[10])
    elseif ARGV[8] == 'open' and state == 'opening' then
      write('state', 'open')
    elseif ARGV[8] == 'attested' and state ~= 'attested' then
      write('state', 'attested', 'fellows', '')
      -- Its own fences are lost: all that it gives out from now on are above what the others have.
      if tonumber(ARGV[10]) > 0 then
        raise('floor', ARGV[10])
        raise('top', ARGV[10])
      end
    end
  end
  for _, value in ipairs(call('HMGET', KEYS[1], unpack(FIELDS))) do about[#about + 1] = value or '' end
  return about
end

local is_done, reply = pcall(handshake)
return is_done and reply or redis.error_reply(type(reply) == 'table' and reply.err or tostring(reply))
