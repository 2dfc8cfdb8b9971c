-- The server's identity and its record, in one atomic step.
--
-- KEYS[1]  the node's record
-- ARGV[1]  id for the record if one must be written
-- ARGV[2]  state of the record that is written if there is none; "" writes none
-- ARGV[3]  node count of the sender's configuration
-- ARGV[4]  longest ttl of the sender, ms
-- ARGV[5]  maximum gain of a node's clock according to the sender, ms
-- ARGV[6]  the sender's wall clock, ms
-- ARGV[7]  1 if a restart that kept the record has kept the keys, too
-- ARGV[8]  the record's new state: opening, open or attested; "" changes nothing
-- ARGV[9]  the id that the record must have for that
-- ARGV[10] for opening: the ids of the records of all nodes; for attested: the lower bound of all new fences
-- the last: the number of this call, which the reply repeats: connections can mix up replies
--
-- Returns the number of the call, run_id, role, mode, eviction policy, maxmemory, node time in ms, commands of the
-- batch script that the user may not run or the server lacks (before Redis 7 without EVALSHA), then, if it has one,
-- the record:
-- id, run_id, state, time written in ms, the same by the writer's clock, node count, longest ttl in ms, largest gain
-- of a clock in ms, ids of all nodes' records, highest fence. Nothing is written if it is not a master, or a member of
-- a Cluster. Fails with "ERR <command> failed: <why>".

local FIELDS = {
  'id', 'runId', 'state', 'writtenMs', 'writerMs', 'nodeCount', 'maxTtlMs', 'clockStepMs', 'fellows', 'top',
}

local function call(name, ...)
  local reply = redis.pcall(name, ...)
  -- The error of a server before 7.2 does not name the command.
  if type(reply) == 'table' and reply.err then error('ERR ' .. name .. ' failed: ' .. reply.err, 0) end
  return reply
end

-- Before Redis 7 the server cannot be asked: it is tried with a key that does not exist.
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
  -- No script may run the first, and trying the second would write.
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
  -- A plain search: a pattern is tried at every character of the whole text.
  local function field(name)
    local _, before = string.find(info, '\n' .. name .. ':', 1, true)
    return before and string.match(info, '^[^\r\n]*', before + 1) or ''
  end
  local run_id, role, mode = field('run_id'), field('role'), field('redis_mode')
  -- Valkey's name.
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
      -- Its own fences are lost: all that it issues from now on are above those of the other nodes.
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
if not is_done then return redis.error_reply(type(reply) == 'table' and reply.err or tostring(reply)) end
table.insert(reply, 1, tonumber(ARGV[#ARGV]))
return reply
