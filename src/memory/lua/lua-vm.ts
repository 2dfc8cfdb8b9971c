import { RedisError } from "../errors.js";
import { seventeenDigits } from "../numbers.js";
import { Status, type Reply } from "../reply.js";
import { SANDBOX } from "./sandbox.js";
import { asLuaFunction, instantiateLua, type Lua } from "./wasm.js";

const REGISTRY = -10_000;
const GLOBALS = -10_002;
const [BOOLEAN, NUMBER, STRING, TABLE] = [1, 3, 4, 5];

/** Of a `lua_Debug`, and some more. */
const LUA_DEBUG_SIZE = 128;

/** Of a text that is copied byte by byte: Node's own way takes longer to begin. */
const SHORT = 64;

/** A chunk in the registry of the VM. */
export type CompiledScript = number & { readonly isScript: true };

/** The server for which a script runs. */
export interface ScriptHost {
  /** @param argv a command's name and arguments @throws RedisError */
  call(argv: readonly string[]): Reply;
}

/**
 * Scripts as a server runs them: Lua 5.1, `redis.call` and `redis.pcall`, KEYS and ARGV. One VM serves
 * all servers of the process, as scripts leave nothing behind in it: they can set no globals.
 */
export class LuaVm {
  readonly #lua: Lua;
  readonly #state: number;
  readonly #names = new Map<string, number>();
  readonly #size: number;
  #mainChunk = 0;
  #buffer = 0;
  #bufferSize = 0;
  #bytes: Buffer;
  #words: Uint32Array;
  #host: ScriptHost | undefined;
  #thrown: { readonly error: unknown } | undefined;

  /** @throws LuaMissingError */
  constructor() {
    const lua = instantiateLua();
    this.#lua = lua;
    this.#bytes = Buffer.from(lua.memory.buffer);
    this.#words = new Uint32Array(lua.memory.buffer);
    this.#size = lua.malloc(8);
    this.#reserve(65_536);
    this.#state = lua.luaL_newstate();
    const state = this.#state;
    lua.luaopen_base(state);
    lua.luaopen_string(state);
    lua.luaopen_table(state);
    lua.luaopen_math(state);
    lua.lua_settop(state, 0);
    lua.lua_createtable(state, 0, 4);
    for (const [name, isRaising] of [
      ["call", true],
      ["pcall", false],
    ] as const) {
      lua.lua_pushcclosure(state, asLuaFunction(lua, this.#caller(isRaising)), 0);
      lua.lua_setfield(state, -2, this.#name(name));
    }
    lua.lua_setfield(state, GLOBALS, this.#name("redis"));
    this.run(this.compile(SANDBOX), [], 0, { call: () => null });
  }

  /** @throws RedisError where it is not Lua */
  compile(source: string): CompiledScript {
    const lua = this.#lua;
    const size = this.#write(source);
    const failure = lua.luaL_loadbuffer(
      this.#state,
      this.#buffer,
      size,
      this.#name("@user_script"),
    );
    if (failure !== 0) {
      const message = this.#text(-1);
      lua.lua_settop(this.#state, 0);
      throw new RedisError(`ERR Error compiling script (new function): ${message}`);
    }
    return lua.luaL_ref(this.#state, REGISTRY) as CompiledScript;
  }

  /**
   * @param given the keys, and behind them the arguments, as bytes
   * @throws RedisError
   */
  run(script: CompiledScript, given: readonly string[], keyCount: number, host: ScriptHost): Reply {
    if (this.#host !== undefined) throw new Error("a script runs while another one does");
    const lua = this.#lua;
    const state = this.#state;
    this.#pushTable(given, 0, keyCount);
    lua.lua_setfield(state, GLOBALS, this.#name("KEYS"));
    this.#pushTable(given, keyCount, given.length);
    lua.lua_setfield(state, GLOBALS, this.#name("ARGV"));
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
    }
  }

  /**
   * Numbers in locals of the running script's main chunk, as a debugger reads them; of those with one
   * name the innermost. To be called while it calls a command.
   */
  mainLocals<Name extends string>(...names: readonly Name[]): { readonly [N in Name]?: number } {
    const lua = this.#lua;
    const state = this.#state;
    const found: { [N in Name]?: number } = {};
    // The level that is asked for last is that of the main chunk, and stands there for good.
    if (this.#mainChunk === 0) {
      this.#mainChunk = lua.malloc(LUA_DEBUG_SIZE);
      for (let level = 0; lua.lua_getstack(state, level, this.#mainChunk) === 1;) level++;
    }
    for (let index = 1; ; index++) {
      const name = lua.lua_getlocal(state, this.#mainChunk, index);
      if (name === 0) return found;
      const match = names.find((each) => this.#isAt(name, each));
      if (match !== undefined) found[match] = lua.lua_tonumber(state, -1);
      lua.lua_settop(state, -2);
    }
  }

  #isAt(pointer: number, text: string): boolean {
    const bytes = this.#bytes;
    for (let index = 0; index < text.length; index++) {
      if (bytes[pointer + index] !== text.charCodeAt(index)) return false;
    }
    return bytes[pointer + text.length] === 0;
  }

  /** What a script failed with: an error of a command as it is, one of Lua's as the server words it. */
  #complaint(): string {
    const lua = this.#lua;
    if (lua.lua_type(this.#state, -1) !== TABLE) return `ERR ${this.#text(-1)}`;
    lua.lua_getfield(this.#state, -1, this.#name("err"));
    return lua.lua_type(this.#state, -1) === STRING ? this.#text(-1) : "ERR unknown error";
  }

  #caller(isRaising: boolean): (state: number) => number {
    const lua = this.#lua;
    return (state) => {
      try {
        this.#push(this.#call(state));
        return 1;
      } catch (error) {
        // What is no answer of a server ends the run, as soon as the script lets it.
        if (!(error instanceof RedisError)) this.#thrown ??= { error };
        this.#pushNamed("err", error instanceof RedisError ? error.message : "ERR internal error");
      }
      return isRaising ? lua.lua_error(state) : 1;
    };
  }

  #call(state: number): Reply {
    const lua = this.#lua;
    const count = lua.lua_gettop(state);
    if (count === 0) {
      throw new RedisError("ERR Please specify at least one argument for this redis.call() call");
    }
    const argv: string[] = [];
    for (let index = 1; index <= count; index++) {
      const type = lua.lua_type(state, index);
      if (type === STRING) argv.push(this.#text(index));
      else if (type === NUMBER) argv.push(seventeenDigits(lua.lua_tonumber(state, index)));
      else throw new RedisError("ERR Lua redis lib command arguments must be strings or integers");
    }
    return (this.#host as ScriptHost).call(argv);
  }

  // From JavaScript to Lua

  #pushTable(items: readonly string[], from: number, to: number): void {
    const lua = this.#lua;
    lua.lua_createtable(this.#state, to - from, 0);
    for (let index = from; index < to; index++) {
      this.#pushText(items[index] as string);
      lua.lua_rawseti(this.#state, -2, index - from + 1);
    }
  }

  #push(value: Reply): void {
    const lua = this.#lua;
    const state = this.#state;
    if (typeof value === "string") this.#pushText(value);
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
    this.#pushText(text);
    this.#lua.lua_setfield(this.#state, -2, this.#name(name));
  }

  #pushText(bytes: string): void {
    // Writing it may move the buffer.
    const size = this.#write(bytes);
    this.#lua.lua_pushlstring(this.#state, this.#buffer, size);
  }

  #write(bytes: string): number {
    const size = bytes.length;
    if (size >= this.#bufferSize) this.#reserve(size + 1);
    if (this.#bytes.length === 0) this.#refresh();
    const to = this.#bytes;
    const start = this.#buffer;
    if (size > SHORT) to.write(bytes, start, "latin1");
    else for (let index = 0; index < size; index++) to[start + index] = bytes.charCodeAt(index);
    return size;
  }

  #reserve(size: number): void {
    this.#lua.free(this.#buffer);
    this.#bufferSize = 2 * size;
    this.#buffer = this.#lua.malloc(this.#bufferSize);
    this.#refresh();
  }

  /** The memory has grown: a view of it before has become empty. */
  #refresh(): void {
    this.#bytes = Buffer.from(this.#lua.memory.buffer);
    this.#words = new Uint32Array(this.#lua.memory.buffer);
  }

  /** A text that ends with 0, as C has it, for as long as the VM lives. */
  #name(text: string): number {
    let pointer = this.#names.get(text);
    if (pointer === undefined) {
      pointer = this.#lua.malloc(text.length + 1);
      this.#refresh();
      for (let index = 0; index < text.length; index++) {
        this.#bytes[pointer + index] = text.charCodeAt(index);
      }
      this.#bytes[pointer + text.length] = 0;
      this.#names.set(text, pointer);
    }
    return pointer;
  }

  // From Lua to JavaScript

  #text(index: number): string {
    const pointer = this.#lua.lua_tolstring(this.#state, index, this.#size);
    if (this.#bytes.length === 0) this.#refresh();
    const size = this.#words[this.#size >> 2] as number;
    const from = this.#bytes;
    if (size > SHORT) return from.toString("latin1", pointer, pointer + size);
    let text = "";
    for (let at = pointer; at < pointer + size; at++)
      text += String.fromCharCode(from[at] as number);
    return text;
  }

  /** As a server converts what a script returns: numbers lose their fraction, lists end at a nil. */
  #read(index: number): Reply {
    const lua = this.#lua;
    const state = this.#state;
    switch (lua.lua_type(state, index)) {
      case NUMBER:
        return Math.trunc(lua.lua_tonumber(state, index));
      case STRING:
        return this.#text(index);
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
    lua.lua_getfield(this.#state, -1, this.#name(name));
    const text = lua.lua_type(this.#state, -1) === STRING ? this.#text(-1) : undefined;
    lua.lua_settop(this.#state, -2);
    return text;
  }
}

let shared: LuaVm | undefined;

/** The VM of the process, made at the first call. @throws LuaMissingError */
export function luaVm(): LuaVm {
  shared ??= new LuaVm();
  return shared;
}
