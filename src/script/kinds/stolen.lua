-- A plain mutex that is taken from whoever holds it: from an owner, from readers, or from one whose
-- turn it is. All of them find the key of another when they look next. Data that is no lock stays.

function layouts.stolen(lock)
  local call, key, owner = lock.call, lock.key, lock.owner
  local self = {}

  function self.is_ours()
    return call('GET', key) == owner
  end

  function self.take()
    local holder = call('GET', key)
    local left = holder and call('PTTL', key) or 0
    if left < 0 then return lock.refuse(holder), true end
    call('SET', key, owner, 'PX', holder == owner and math.max(lock.ttl, left) or lock.ttl)
  end

  function self.drop()
    call('DEL', key)
  end

  return self
end
