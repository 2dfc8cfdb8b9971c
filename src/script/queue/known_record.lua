-- The record that the caller knows. A Cluster has none, and so never another.
-- luacheck: read globals NO_RECORD

return require('lib.slot') and NO_RECORD or ARGV[1]
