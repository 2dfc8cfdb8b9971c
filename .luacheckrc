-- What Redis has for scripts.
stds.redis = {
  read_globals = {
    "KEYS", "ARGV", "redis",
    "error", "ipairs", "math", "pairs", "pcall", "select", "string", "table", "tonumber", "tostring", "type", "unpack",
    "_VERSION",
    -- Of scripts/embed-lua.mjs: another file of the script.
    "require",
  },
}
std = "redis"
max_line_length = 120
