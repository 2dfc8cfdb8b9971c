/**
 * Run once in a new VM: removes what scripts on a server do not have (files, output, code from elsewhere) and
 * anything that differs from run to run; and makes globals read-only as on a server, where reading a missing one is
 * an error.
 *
 * For digits, `tonumber` has the same result as Lua's, which parses numbers with a C library that uses 128-bit
 * arithmetic in software: 16 digits take it longer than the rest of a simple step. The same applies to
 * `string.format` of integers.
 */
export const SANDBOX = /* lua */ `
for _, name in ipairs({ 'dofile', 'loadfile', 'print', 'collectgarbage', 'newproxy', 'gcinfo' }) do _G[name] = nil end
math.random, math.randomseed = nil, nil
local digits, of_anything = redis.digits, tonumber
local whole, of_any_format = redis.whole, string.format
redis.digits, redis.whole = nil, nil
function tonumber(...) return digits(...) or of_anything(...) end
function string.format(...) return whole(...) or of_any_format(...) end
function redis.error_reply(message) return { err = message } end
function redis.status_reply(message) return { ok = message } end
setmetatable(_G, {
  __index = function(_, name)
    error('Script attempted to access nonexistent global variable \\'' .. tostring(name) .. '\\'', 2)
  end,
  __newindex = function()
    error('Attempt to modify a readonly table', 2)
  end,
})
`;
