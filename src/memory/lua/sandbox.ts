/**
 * Run once in a new VM: takes away what scripts on a server have not (files, output, code from elsewhere),
 * and what would be different from run to run; and makes globals as a server has them, which cannot be
 * added, and are an error where they are missing.
 *
 * Of digits `tonumber` has the same result as Lua's, which reads numbers by a C library that works with
 * 128 bits, in software: 16 digits take it longer than all else that a simple step does. The same goes for
 * `string.format` of whole numbers, which it writes.
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
