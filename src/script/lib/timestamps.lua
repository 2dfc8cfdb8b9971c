-- A lock key that says when its lock ends, in one of two units.
-- luacheck: read globals FIRST_SECONDS FIRST_MS END_MS TIMESTAMP_MARGIN_MS

local now_ms = require('lib.clock')

-- The layout of a timestamp; undefined if the text is not one.
local function layout_of(text)
  local value = string.find(text, '^%d+%.?%d*$') and tonumber(text) or 0
  if value < FIRST_SECONDS or value >= END_MS then return end
  return value < FIRST_MS and 'timestamp-seconds' or 'timestamp'
end

-- Ours has an expiry, and its value is later than that by the margin. Not exactly: servers before 7.2 count an expiry
-- from the beginning of the script, but report the current time, which is later by what the script took.
local function is_ours(text, pttl)
  local layout = layout_of(text)
  if not layout then return false end
  local is_seconds = layout == 'timestamp-seconds'
  local more = tonumber(text) * (is_seconds and 1000 or 1) - now_ms() - pttl - TIMESTAMP_MARGIN_MS
  local inexact = TIMESTAMP_MARGIN_MS / 2
  return more >= -inexact and more <= inexact + (is_seconds and 1000 or 0)
end

return { layout_of = layout_of, is_ours = is_ours }
