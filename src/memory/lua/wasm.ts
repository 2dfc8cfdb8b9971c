import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { LuaMissingError } from "../errors.js";
import { Instance, Module, type Imports, type Memory, type Table } from "./web-assembly.js";

/** An address in the memory of the VM, including that of a `lua_State`. */
type Pointer = number;

/** The part of Lua 5.1's C API that is used. */
export interface LuaFunctions {
  malloc(size: number): Pointer;
  lua_newstate(allocator: Pointer, userData: Pointer): Pointer;
  luaL_loadbuffer(state: Pointer, text: Pointer, size: number, name: Pointer): number;
  luaL_ref(state: Pointer, table: number): number;
  luaopen_base(state: Pointer): number;
  luaopen_string(state: Pointer): number;
  luaopen_table(state: Pointer): number;
  luaopen_math(state: Pointer): number;
  lua_createtable(state: Pointer, arrayCount: number, fieldCount: number): void;
  lua_error(state: Pointer): number;
  lua_gc(state: Pointer, what: number, value: number): number;
  lua_getfield(state: Pointer, index: number, name: Pointer): void;
  lua_getlocal(state: Pointer, about: Pointer, index: number): Pointer;
  lua_getstack(state: Pointer, level: number, about: Pointer): number;
  lua_gettop(state: Pointer): number;
  lua_pcall(state: Pointer, argCount: number, resultCount: number, handler: number): number;
  lua_pushboolean(state: Pointer, value: number): void;
  lua_pushcclosure(state: Pointer, code: Pointer, upvalueCount: number): void;
  lua_pushlstring(state: Pointer, text: Pointer, size: number): void;
  lua_pushnil(state: Pointer): void;
  lua_pushnumber(state: Pointer, value: number): void;
  lua_pushvalue(state: Pointer, index: number): void;
  lua_rawgeti(state: Pointer, index: number, at: number): void;
  lua_rawseti(state: Pointer, index: number, at: number): void;
  lua_setfield(state: Pointer, index: number, name: Pointer): void;
  lua_settop(state: Pointer, index: number): void;
  lua_toboolean(state: Pointer, index: number): number;
  lua_tolstring(state: Pointer, index: number, size: Pointer): Pointer;
  lua_tonumber(state: Pointer, index: number): number;
  lua_type(state: Pointer, index: number): number;
}

/** One instance of Lua, with its own memory. */
export interface Lua extends LuaFunctions {
  readonly memory: Memory;
  /** C's function pointers are indexes into it. */
  readonly functions: Table;
}

const NAMES: readonly (keyof LuaFunctions)[] = [
  ...(["malloc", "lua_newstate", "luaL_loadbuffer", "luaL_ref"] as const),
  ...(["luaopen_base", "luaopen_string", "luaopen_table", "luaopen_math"] as const),
  ...([
    "lua_createtable",
    "lua_error",
    "lua_gc",
    "lua_getfield",
    "lua_getlocal",
    "lua_getstack",
    "lua_gettop",
    "lua_pcall",
  ] as const),
  ...([
    "lua_pushboolean",
    "lua_pushcclosure",
    "lua_pushlstring",
    "lua_pushnil",
    "lua_pushnumber",
    "lua_pushvalue",
  ] as const),
  ...(["lua_rawgeti", "lua_rawseti", "lua_setfield", "lua_settop", "lua_toboolean"] as const),
  ...(["lua_tolstring", "lua_tonumber", "lua_type"] as const),
];

const TABLE = "__indirect_function_table";

type Entry = (first: number, second: number) => void;

/** Imports of the runtime that it was compiled with. */
interface Runtime {
  readonly memory: Memory;
  readonly [TABLE]: Table;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  stackSave(): number;
  stackRestore(stack: number): void;
  setThrew(threw: number, value: number): void;
}

/**
 * Lua 5.1 itself, without its package's JavaScript wrapper, which checks and copies at each of a script's many calls.
 * A script has no clock, no files and no network, so it needs almost nothing from the system.
 *
 * @throws LuaMissingError
 */
export function instantiateLua(): Lua {
  const module = new Module(readLua());
  let runtime: Runtime | undefined;
  const entries: Entry[] = [];
  const used: Readonly<Record<string, (...args: number[]) => unknown>> = {
    // A protected call: the function below throws an error in it as a number.
    invoke_vii: (index = 0, first = 0, second = 0) => {
      const of = runtime as Runtime;
      const entry = (entries[index] ??= of[TABLE].get(index) as Entry);
      const stack = of.stackSave();
      try {
        entry(first, second);
      } catch (error) {
        of.stackRestore(stack);
        if (error !== Number.POSITIVE_INFINITY) throw error;
        of.setThrew(1, 0);
      }
    },
    _emscripten_throw_longjmp: () => {
      // oxlint-disable-next-line typescript/only-throw-error -- no stack is wanted, at every error of a script
      throw Number.POSITIVE_INFINITY;
    },
    emscripten_memcpy_js: (to = 0, from = 0, size = 0) => {
      const { memory } = runtime as Runtime;
      new Uint8Array(memory.buffer).copyWithin(to, from, from + size);
    },
    // Memory is 0 where these would write the number of variables.
    environ_sizes_get: () => 0,
    environ_get: () => 0,
  };
  const imports: Imports = {};
  for (const { module: from, name } of Module.imports(module)) {
    const refuse = (): never => {
      throw new Error(`Lua asks the system for ${name}, which scripts have not`);
    };
    (imports[from] ??= {})[name] = used[name] ?? refuse;
  }
  const { exports } = new Instance(module, imports);
  const missing = NAMES.find((name) => typeof exports[name] !== "function");
  if (missing !== undefined) throw new LuaMissingError(`this version has no ${missing}`);
  runtime = exports as unknown as Runtime;
  runtime.emscripten_stack_init();
  // oxlint-disable-next-line eslint/no-underscore-dangle -- its name
  runtime.__wasm_call_ctors();
  const picked = Object.fromEntries(NAMES.map((name) => [name, exports[name]]));
  const { memory, [TABLE]: functions } = runtime;
  return { ...(picked as unknown as LuaFunctions), memory, functions };
}

function readLua(): Uint8Array {
  try {
    // In a bundle for CommonJS there is no URL; in `node -e`, the name is a global, and that of no file.
    const from = (import.meta.url as string | undefined) ?? __filename;
    const script = createRequire(from).resolve("wasmoon-lua5.1");
    return readFileSync(join(dirname(script), "liblua5.1.wasm"));
  } catch (cause) {
    const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new LuaMissingError(why, { cause });
  }
}

/**
 * A `lua_CFunction` from JavaScript: WebAssembly calls only functions that WebAssembly exports, so this is a module
 * of a few bytes that imports the function and exports it as `(i32) -> i32`.
 */
export function asLuaFunction(lua: Lua, call: (state: number) => number): number {
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // Type 0, (i32) -> i32; import "e" "f" of type 0; export "f", the function 0.
    ...[0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f],
    ...[0x02, 0x07, 0x01, 0x01, 0x65, 0x01, 0x66, 0x00, 0x00],
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  ];
  const module = new Module(new Uint8Array(bytes));
  const { exports } = new Instance(module, { e: { f: call } });
  const index = lua.functions.grow(1);
  lua.functions.set(index, exports["f"]);
  return index;
}
