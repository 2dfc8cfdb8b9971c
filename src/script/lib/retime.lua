-- Extends a lock key: never shortens it; and where others rely on its sign, the sign always changes.
-- luacheck: read globals RENEWED_BY_MS SHOWN_OWNER

local call = redis.call

return function(key, owner, ttl)
  local left, is_signed = call('PTTL', key), string.find(owner, SHOWN_OWNER)
  if ttl >= left + (is_signed and RENEWED_BY_MS or 1) then
    call('PEXPIRE', key, ttl)
  elseif is_signed then
    call('PEXPIRE', key, left + RENEWED_BY_MS)
  end
end
