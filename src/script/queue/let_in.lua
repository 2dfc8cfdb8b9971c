-- Tells those that waited only because of a place ahead of them, which is gone. holder: the value of the lock key

return function(key, of, holder)
  local name = type(holder) == 'string' and require('lib.holders_beside').kind_at(holder)
  local kind = name and require('kinds.' .. name)
  if kind and kind.let_in then kind.let_in(key, of, holder) end
end
