import { RedisError } from "../errors.js";
import { sha1Of } from "../bytes.js";
import { seventeenDigits } from "../numbers.js";
import { Status, type Reply } from "../reply.js";
import { LuaArena } from "./lua-arena.js";
import { LuaStrings } from "./lua-strings.js";
import { SANDBOX } from "./sandbox.js";
import { asLuaFunction, instantiateLua, type Lua } from "./wasm.js";

const REGISTRY = -10_000;
const GLOBALS = -10_002;
const [BOOLEAN, NUMBER, STRING, TABLE] = [1, 3, 4, 5];

/** For `lua_gc`: nothing is collected, see the arena. */
const STOP = 0;

/** Size of a `lua_Debug`, and some more. */
const LUA_DEBUG_SIZE = 128;

/** A chunk in the registry of the VM. */
export type CompiledScript = number & { readonly isScript: true };

/** The server for which a script runs. */
export interface ScriptHost {
  /** @param argv a command's name and arguments @throws RedisError */
  call(argv: readonly string[]): Reply;
  /** For `redis.acl_check_cmd`; undefined for a server without that function. @throws RedisError */
  readonly isAllowed?: ((argv: readonly string[]) => boolean) | undefined;
}

/**
 * Runs scripts as a server does: Lua 5.1, `redis.call` and `redis.pcall`, KEYS and ARGV. One VM serves all servers of
 * the process, as scripts cannot set globals and so leave nothing behind.
 */
export class LuaVm {
  readonly #lua: Lua;
  readonly #state: number;
  readonly #strings: LuaStrings;
  readonly #arena: LuaArena;
  readonly #debug: number;
  #host: ScriptHost | undefined;
  #thrown: { readonly error: unknown } | undefined;

  /** @throws LuaMissingError */
  constructor() {
    const lua = instantiateLua();
    this.#lua = lua;
    this.#arena = new LuaArena(lua.memory, lua.functions);
    this.#state = lua.lua_newstate(this.#arena.allocator, 0);
    const state = this.#state;
    this.#strings = new LuaStrings(lua, state, this.#arena);
    this.#debug = lua.malloc(LUA_DEBUG_SIZE);
    lua.luaopen_base(state);
    lua.luaopen_string(state);
    lua.luaopen_table(state);
    lua.luaopen_math(state);
    lua.lua_gc(state, STOP, 0);
    lua.lua_settop(state, 0);
    lua.lua_createtable(state, 0, 4);
    this.#define("call", this.#caller(true));
    this.#define("pcall", this.#caller(false));
    this.#define("acl_check_cmd", this.#caller(true, true));
    this.#define("sha1hex", (of) => this.#sha1hex(of));
    this.#define("digits", (of) => this.#digits(of));
    this.#define("whole", (of) => this.#whole(of));
    lua.lua_setfield(state, GLOBALS, this.#strings.name("redis"));
    this.#arena.remember();
    this.run(this.compile(SANDBOX), [], 0, { call: () => null, isAllowed: () => true });
    this.#arena.remember();
  }

  /** @throws RedisError if it is not valid Lua */
  compile(source: string): CompiledScript {
    const lua = this.#lua;
    this.#restore();
    const name = this.#strings.name("@user_script");
    const { address, size } = this.#strings.write(source);
    if (lua.luaL_loadbuffer(this.#state, address, size, name) !== 0) {
      const message = this.#strings.read(-1);
      lua.lua_settop(this.#state, 0);
      throw new RedisError(`ERR Error compiling script (new function): ${message}`);
    }
    const script = lua.luaL_ref(this.#state, REGISTRY) as CompiledScript;
    this.#arena.remember();
    return script;
  }

  #restore(): void {
    this.#arena.restore();
    this.#strings.forget();
  }

  /**
   * @param given the keys, then the arguments, as bytes
   * @throws RedisError
   */
  run(script: CompiledScript, given: readonly string[], keyCount: number, host: ScriptHost): Reply {
    if (this.#host !== undefined) throw new Error("a script runs while another one does");
    const lua = this.#lua;
    const state = this.#state;
    if (this.#arena.isFull) this.#restore();
    this.#pushTable(given, 0, keyCount);
    lua.lua_setfield(state, GLOBALS, this.#strings.name("KEYS"));
    this.#pushTable(given, keyCount, given.length);
    lua.lua_setfield(state, GLOBALS, this.#strings.name("ARGV"));
    const mustHide = host.isAllowed === undefined;
    if (mustHide) this.#hideAclCheck();
    lua.lua_rawgeti(state, REGISTRY, script);
    this.#host = host;
    try {
      const failure = lua.lua_pcall(state, 0, 1, 0);
      if (this.#thrown !== undefined) throw this.#thrown.error;
      if (failure !== 0) throw new RedisError(this.#complaint());
      const reply = this.#read(-1);
      if (reply instanceof RedisError) throw reply;
      return reply;
    } finally {
      this.#host = undefined;
      this.#thrown = undefined;
      lua.lua_settop(state, 0);
      if (mustHide) this.#restore();
    }
  }

  /**
   * Numbers in local variables of the running script's main chunk, as a debugger reads them; of several with one
   * name, the innermost. Must be called while it calls a command.
   */
  mainLocals<Name extends string>(...names: readonly Name[]): { readonly [N in Name]?: number } {
    const lua = this.#lua;
    const state = this.#state;
    const found: { [N in Name]?: number } = {};
    // The last level that exists is the main chunk.
    for (let level = 0; lua.lua_getstack(state, level, this.#debug) === 1;) level++;
    for (let index = 1; ; index++) {
      const name = lua.lua_getlocal(state, this.#debug, index);
      if (name === 0) return found;
      const match = names.find((each) => this.#strings.isAt(name, each));
      if (match !== undefined) found[match] = lua.lua_tonumber(state, -1);
      lua.lua_settop(state, -2);
    }
  }

  /** The error of a script: that of a command unchanged, one of Lua's as the server words it. */
  #complaint(): string {
    const lua = this.#lua;
    if (lua.lua_type(this.#state, -1) !== TABLE) return `ERR ${this.#strings.read(-1)}`;
    lua.lua_getfield(this.#state, -1, this.#strings.name("err"));
    if (lua.lua_type(this.#state, -1) === STRING) return this.#strings.read(-1);
    return "ERR unknown error";
  }

  #define(name: string, call: (state: number) => number): void {
    this.#lua.lua_pushcclosure(this.#state, asLuaFunction(this.#lua, call), 0);
    this.#lua.lua_setfield(this.#state, -2, this.#strings.name(name));
  }

  /** Until the memory is reset. */
  #hideAclCheck(): void {
    const lua = this.#lua;
    lua.lua_getfield(this.#state, GLOBALS, this.#strings.name("redis"));
    lua.lua_pushnil(this.#state);
    lua.lua_setfield(this.#state, -2, this.#strings.name("acl_check_cmd"));
    lua.lua_settop(this.#state, 0);
  }

  #caller(isRaising: boolean, isCheck = false): (state: number) => number {
    const lua = this.#lua;
    return (state) => {
      try {
        const argv = this.#argv(state);
        const host = this.#host as ScriptHost;
        if (isCheck) lua.lua_pushboolean(state, host.isAllowed?.(argv) === true ? 1 : 0);
        else this.#push(host.call(argv));
        return 1;
      } catch (error) {
        // An error that is not a server's reply ends the run as soon as the script permits.
        if (!(error instanceof RedisError)) this.#thrown ??= { error };
        this.#pushNamed("err", error instanceof RedisError ? error.message : "ERR internal error");
      }
      return isRaising ? lua.lua_error(state) : 1;
    };
  }

  #argv(state: number): readonly string[] {
    const lua = this.#lua;
    const count = lua.lua_gettop(state);
    if (count === 0) {
      throw new RedisError("ERR Please specify at least one argument for this redis.call() call");
    }
    const argv: string[] = [];
    for (let index = 1; index <= count; index++) {
      const type = lua.lua_type(state, index);
      if (type === STRING) argv.push(this.#strings.read(index));
      else if (type === NUMBER) argv.push(seventeenDigits(lua.lua_tonumber(state, index)));
      else throw new RedisError("ERR Lua redis lib command arguments must be strings or integers");
    }
    return argv;
  }

  #sha1hex(state: number): number {
    if (this.#lua.lua_gettop(state) !== 1) {
      this.#pushNamed("err", "ERR wrong number of arguments");
      return this.#lua.lua_error(state);
    }
    this.#strings.push(sha1Of(this.#strings.read(1)));
    return 1;
  }

  /** For `tonumber`, see the sandbox: the number, or nothing if it is not a simple one. */
  #digits(state: number): number {
    const lua = this.#lua;
    const isText = lua.lua_gettop(state) === 1 && lua.lua_type(state, 1) === STRING;
    const value = isText ? this.#strings.digitsAt(1) : undefined;
    if (value === undefined) return 0;
    lua.lua_pushnumber(state, value);
    return 1;
  }

  /** For `string.format`, see the sandbox: an integer, or nothing for anything else. */
  #whole(state: number): number {
    const lua = this.#lua;
    const isNumber = lua.lua_gettop(state) === 2 && lua.lua_type(state, 2) === NUMBER;
    if (!isNumber || lua.lua_type(state, 1) !== STRING) return 0;
    const value = lua.lua_tonumber(state, 2);
    if (!Number.isSafeInteger(value) || this.#strings.read(1) !== "%.0f") return 0;
    this.#strings.push(seventeenDigits(value));
    return 1;
  }

  // From JavaScript to Lua

  #pushTable(items: readonly string[], from: number, to: number): void {
    const lua = this.#lua;
    lua.lua_createtable(this.#state, to - from, 0);
    for (let index = from; index < to; index++) {
      this.#strings.pushKept(items[index] as string);
      lua.lua_rawseti(this.#state, -2, index - from + 1);
    }
  }

  #push(value: Reply): void {
    const lua = this.#lua;
    const state = this.#state;
    if (typeof value === "string") this.#strings.push(value);
    else if (typeof value === "number") lua.lua_pushnumber(state, value);
    else if (value === null) lua.lua_pushboolean(state, 0);
    else if (value instanceof Status) this.#pushNamed("ok", value.text);
    else if (value instanceof RedisError) this.#pushNamed("err", value.message);
    else {
      lua.lua_createtable(state, value.length, 0);
      for (let index = 0; index < value.length; index++) {
        this.#push(value[index] as Reply);
        lua.lua_rawseti(state, -2, index + 1);
      }
    }
  }

  #pushNamed(name: "ok" | "err", text: string): void {
    this.#lua.lua_createtable(this.#state, 0, 1);
    this.#strings.pushKept(text);
    this.#lua.lua_setfield(this.#state, -2, this.#strings.name(name));
  }

  // From Lua to JavaScript

  /** Converts a script's result as a server does: numbers lose their fraction, lists end at a nil. */
  #read(index: number): Reply {
    const lua = this.#lua;
    const state = this.#state;
    switch (lua.lua_type(state, index)) {
      case NUMBER:
        return Math.trunc(lua.lua_tonumber(state, index));
      case STRING:
        return this.#strings.read(index);
      case BOOLEAN:
        return lua.lua_toboolean(state, index) === 1 ? 1 : null;
      case TABLE:
        return this.#readTable();
      default:
        return null;
    }
  }

  #readTable(): Reply {
    const lua = this.#lua;
    const state = this.#state;
    const error = this.#field("err");
    if (error !== undefined) return new RedisError(error);
    const status = this.#field("ok");
    if (status !== undefined) return new Status(status);
    const items: Reply[] = [];
    for (let at = 1; ; at++) {
      lua.lua_rawgeti(state, -1, at);
      if (lua.lua_type(state, -1) === 0) break;
      items.push(this.#read(-1));
      lua.lua_settop(state, -2);
    }
    lua.lua_settop(state, -2);
    return items;
  }

  #field(name: string): string | undefined {
    const lua = this.#lua;
    lua.lua_getfield(this.#state, -1, this.#strings.name(name));
    const text = lua.lua_type(this.#state, -1) === STRING ? this.#strings.read(-1) : undefined;
    lua.lua_settop(this.#state, -2);
    return text;
  }
}

let shared: LuaVm | undefined;

/** The VM of the process, created at the first call. @throws LuaMissingError */
export function luaVm(): LuaVm {
  shared ??= new LuaVm();
  return shared;
}
