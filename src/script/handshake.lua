-- The server's identity and its record, in one atomic step.
--
-- KEYS[1]  the node's record
-- KEYS[2]  a key in another hash slot, which is not used: a server that spreads keys over hash slots refuses the call
-- ARGV[1]  id for the record if one must be written
-- ARGV[2]  state of the record that is written if there is none; "" writes none
-- ARGV[3]  node count of the sender's configuration
-- ARGV[4]  longest ttl that the sender needs, ms: the record is raised to it; 0 leaves it
-- ARGV[5]  maximum gain of a node's clock according to the sender, ms
-- ARGV[6]  the sender's wall clock, ms
-- ARGV[7]  1 if a restart that kept the record has kept the keys, too
-- ARGV[8]  the record's new state: opening, open or attested; "" changes nothing
-- ARGV[9]  the id that the record must have for that
-- ARGV[10] for opening: the ids of the records of all nodes; for attested: the lower bound of all new fences
-- ARGV[11] version of the protocol that the sender speaks
-- ARGV[12] a channel to which the sender's kind publishes
-- ARGV[13] the node's id, if it has none; "" if the sender does not know it
-- ARGV[14] name of the field for the list of nodes of the sender's key prefix
-- ARGV[15] that list, if there is none; "" if the sender does not know it
-- ARGV[16] 1 if the sender only looks: nothing is written
-- ARGV[17] longest ttl with which a record begins, ms
-- ARGV[18] with that list: the highest fence of all its nodes; where it is written, all new fences are above
-- ARGV[19] what INFO said outside of the script, for a server that lets no script call it; "" if it was not asked
-- the last: the number of this call, which the reply repeats: connections can mix up replies
--
-- Returns the number of the call, run_id, node time in ms, commands of the batch script that the user may not run or
-- the server lacks (before Redis 7 without EVALSHA), capabilities (see protocol/capabilities.ts), then, if it has one,
-- the record: its FIELDS (see protocol/record.ts), that list of nodes, the longest ttl before this call, and the list
-- that was written last, by senders of whatever key prefix. Nothing is written if it is not a master, or a member of a
-- Cluster, and nothing in a record of a later version, or in one that makes no sense. Fails with
-- "ERR <command> failed: <why>".

local FIELDS = {
  'id', 'runId', 'state', 'writtenMs', 'writerMs', 'nodeCount', 'maxTtlMs', 'clockStepMs', 'fellows', 'top',
  'version', 'capabilities', 'nodeId',
}

-- See protocol/node-list.ts.
local LAST_LIST = 'lastNodes'

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

-- Not by the server's name or version: each is tried. Except for one that is seen only by chance.
local function capabilities_of(may_ask, run_id, field)
  local words = {}
  local function add(name, is_true)
    if is_true then words[#words + 1] = name end
  end
  add('atomicScripts', field('garnet_version') == '')
  -- Noted by a client, see redis/introduction.ts.
  add('interleaves', redis.pcall('HGET', KEYS[1], 'interleaves') == run_id)
  -- Whether it exists may be asked of a key that was given to the script, and not of one that was not.
  local function is_refused(key)
    local reply = redis.pcall('EXISTS', key)
    return type(reply) == 'table' and reply.err ~= nil
  end
  add('undeclaredKeys', not is_refused(KEYS[1] .. ':none') or is_refused(KEYS[1]))
  add('infoInScript', may_ask)
  add('runId', run_id ~= '')
  -- Before Redis 7 it is sent: nobody listens there.
  add('pubSub', may_run({ 'PUBLISH', ARGV[12], '' }))
  local eviction = field('maxmemory_policy')
  add('evicts', (tonumber(field('maxmemory')) or 0) > 0 and eviction ~= 'noeviction')
  -- Valkey has another name for it.
  local mode = field('redis_mode') ~= '' and field('redis_mode') or field('server_mode')
  local _, lua = pcall(function() return string.match(_VERSION, '^Lua ([%d.]+)$') end)
  for name, value in pairs({ eviction = eviction, role = field('role'), mode = mode, lua = lua or '' }) do
    add(name .. '=' .. string.gsub(value, '%s', '_'), value ~= '')
  end
  table.sort(words)
  return table.concat(words, ' '), field('role') == 'master' and mode ~= 'cluster'
end

-- Some services let no script call INFO. Any other failure is one of the handshake.
local function info_of(section)
  local reply = redis.pcall('INFO', section)
  if type(reply) ~= 'table' or not reply.err then return reply end
  local why = string.lower(reply.err)
  local is_of_script = string.find(why, 'script', 1, true)
    and (string.find(why, 'not allowed', 1, true) or string.find(why, 'not supported', 1, true))
  if not is_of_script then error('ERR INFO failed: ' .. reply.err, 0) end
  return ''
end

-- Written by a version that the sender does not know, or by none.
local function is_strange(version, ...)
  if version and not string.find(version, '^%d+$') then return true end
  for n = 1, select('#', ...) do
    local text = select(n, ...)
    local number = tonumber(text or '0')
    if not (number and number >= 0 and number < math.huge) then return true end
  end
  return tonumber(version or '0') > tonumber(ARGV[11])
end

local function handshake()
  local info = info_of('server') .. info_of('replication') .. info_of('memory')
  local may_ask = info ~= ''
  if not may_ask then info = ARGV[19] end
  -- A plain search: a pattern is tried at every character of the whole text.
  local function field(name)
    local _, before = string.find(info, '\n' .. name .. ':', 1, true)
    return before and string.match(info, '^[^\r\n]*', before + 1) or ''
  end
  -- What was read outside may be of another run of the server, or of another behind the same proxy.
  local run_id = may_ask and field('run_id') or ''
  local t = call('TIME')
  local now_ms = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
  local capabilities, is_keeping = capabilities_of(may_ask, run_id, field)
  local about = { run_id, string.format('%.0f', now_ms), denied_commands(), capabilities }
  if not is_keeping then return about end

  local id, state, of, version, noted, ttl, step =
    unpack(call('HMGET', KEYS[1], 'id', 'state', 'runId', 'version', 'capabilities', 'maxTtlMs', 'clockStepMs'))
  local function with_record()
    for _, value in ipairs(call('HMGET', KEYS[1], unpack(FIELDS))) do about[#about + 1] = value or '' end
    about[#about + 1] = call('HGET', KEYS[1], ARGV[14]) or ''
    about[#about + 1] = ttl or ''
    about[#about + 1] = call('HGET', KEYS[1], LAST_LIST) or ''
    return about
  end
  if id and (ARGV[16] == '1' or is_strange(version, ttl, step)) then return with_record() end
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

  local function lift(fence)
    if tonumber(fence) > 0 then
      raise('floor', fence)
      raise('top', fence)
    end
  end

  if not id then
    if ARGV[2] == '' or ARGV[16] == '1' then return about end
    write_anew(ARGV[2])
    write('nodeCount', ARGV[3])
  elseif of ~= run_id then
    if ARGV[7] == '1' then write('runId', run_id) else write_anew('forgot') end
  end
  if not ttl then write('maxTtlMs', ARGV[17]) end
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
      lift(ARGV[10])
    end
  end
  if ARGV[13] ~= '' and not call('HGET', KEYS[1], 'nodeId') then write('nodeId', ARGV[13]) end
  if ARGV[15] ~= '' and not call('HGET', KEYS[1], ARGV[14]) then
    -- A node that was removed may have known fences that this one does not.
    lift(ARGV[18])
    write(ARGV[14], ARGV[15], LAST_LIST, ARGV[15], 'nodeCount', '')
  end
  if version ~= ARGV[11] or noted ~= capabilities then write('version', ARGV[11], 'capabilities', capabilities) end
  return with_record()
end

local is_done, reply = pcall(handshake)
if not is_done then return redis.error_reply(type(reply) == 'table' and reply.err or tostring(reply)) end
table.insert(reply, 1, tonumber(ARGV[#ARGV]))
return reply
