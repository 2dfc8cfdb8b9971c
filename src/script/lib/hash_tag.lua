-- The hash slot of all keys of this call, as a hash tag, on a Cluster; false on any other node. It is in the key of the
-- hash slot's fences, which are in the place of the record's.

return string.match(KEYS[1], '{%d+}$') or false
