-- Ends holders that have not been renewed for longer than they can act on the lock, by the clock of the sender: it
-- has seen these signs for that long, which are sent in place of the owner. A holder that was renewed since has
-- another sign, and stays. The effect is that of an expiry.
-- luacheck: read globals KEYS_OF_ALL SHOWN_OWNER

local standing = require('lib.holders_beside')
local tell = require('lib.tell_holder')
local call, try = redis.call, redis.pcall

local function overdue_in(text)
  local signs = {}
  for sign in string.gmatch(text, '[^;]+') do signs[#signs + 1] = sign end
  return function(found)
    for _, sign in ipairs(signs) do
      if standing.is_sign(sign, found) then return true end
    end
    return false
  end
end

local function expire(key, holder, is_overdue)
  if string.find(holder, SHOWN_OWNER) then
    if is_overdue(require('lib.signs').of_key(key, holder)) then
      call('DEL', key)
      tell(holder)
    end
    return
  end
  -- One owner may have thousands of permits, which have one sign.
  local ended, owners, is_ended = {}, {}, {}
  for _, member in ipairs(standing.beside(key, holder)) do
    local owner = string.match(member[1], '^%d+:(.*)$') or member[1]
    local hold = owner .. '@' .. member[2]
    if is_ended[hold] == nil then
      is_ended[hold] = is_overdue(require('lib.signs').of(key, member[1], member[2], true))
      if is_ended[hold] then owners[#owners + 1] = owner end
    end
    if is_ended[hold] then ended[#ended + 1] = member[1] end
  end
  if #ended > 0 then require('kinds.' .. standing.kind_at(holder)).expire(key, holder, ended) end
  for _, owner in ipairs(owners) do tell(owner) end
end

return function(lock, _, k_end)
  local is_overdue = overdue_in(lock.owner)
  for k = lock.k - KEYS_OF_ALL, k_end do
    -- What cannot be read, such as what the user may not read, is left to the acquire that follows, which reports it.
    local holder = try('GET', KEYS[k])
    if type(holder) == 'string' then expire(KEYS[k], holder, is_overdue) end
  end
  return 0
end
