-- What Redis has for scripts.
stds.redis = {
  read_globals = {
    "KEYS", "ARGV", "redis",
    "error", "ipairs", "math", "pcall", "string", "table", "tonumber", "tostring", "type", "unpack",
    -- Of scripts/embed-lua.mjs: another file of the script.
    "require",
  },
}
std = "redis"
max_line_length = 120
