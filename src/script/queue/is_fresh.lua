-- Whether a place whose last refresh has that score was refreshed within the limit, ms. In both directions: the
-- node's clock may be set back.
-- luacheck: read globals LEASES_FROM

return function(seen, limit)
  return seen and math.abs(LEASES_FROM + require('lib.clock')() - seen) <= limit
end
