import type { LuaArena } from "./lua-arena.js";
import type { Lua } from "./wasm.js";

const REGISTRY = -10_000;

/** For texts in transit; longer ones are allocated separately. */
const BUFFER_SIZE = 4_096;

/** Longest text that is copied byte by byte: Node.js's own method takes longer to start. */
const SHORT = 48;

/** Longest text made by a script that is cached: longer ones rarely occur twice. */
const WORD = 16;

/**
 * Converts texts between JavaScript and Lua. Lua keeps each text once, at one address for as long as anything refers
 * to it. Texts that recur, as most do, are kept in the registry: they need not be written again, and are recognised
 * by their addresses when a script passes them on.
 */
export class LuaStrings {
  readonly #lua: Lua;
  readonly #state: number;
  readonly #names = new Map<string, number>();
  readonly #kept = new Map<string, number>();
  readonly #byAddress = new Map<number, string>();
  readonly #size: number;
  readonly #arena: LuaArena;
  readonly #buffer: number;
  #bytes: Buffer;
  #words: Uint32Array;

  constructor(lua: Lua, state: number, arena: LuaArena) {
    this.#lua = lua;
    this.#state = state;
    this.#arena = arena;
    this.#size = lua.malloc(8);
    this.#buffer = lua.malloc(BUFFER_SIZE);
    this.#bytes = Buffer.from(lua.memory.buffer);
    this.#words = new Uint32Array(lua.memory.buffer);
  }

  /** The memory has been reset. */
  forget(): void {
    this.#kept.clear();
    this.#byAddress.clear();
  }

  /** @param bytes one per character */
  push(bytes: string): void {
    const reference = this.#kept.get(bytes);
    if (reference === undefined) this.#pushNew(bytes);
    else this.#lua.lua_rawgeti(this.#state, REGISTRY, reference);
  }

  /** The same for a text that is expected to recur. */
  pushKept(bytes: string): void {
    const reference = this.#kept.get(bytes);
    if (reference !== undefined) this.#lua.lua_rawgeti(this.#state, REGISTRY, reference);
    else {
      this.#pushNew(bytes);
      if (bytes.length <= SHORT) this.#keep(bytes);
    }
  }

  /** The string at that index of the stack. */
  read(index: number): string {
    const address = this.#lua.lua_tolstring(this.#state, index, this.#size);
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known;
    this.#refresh();
    const size = this.#words[this.#size >> 2] as number;
    const bytes = this.#bytes.toString("latin1", address, address + size);
    if (size <= WORD) {
      this.#lua.lua_pushvalue(this.#state, index);
      this.#keep(bytes);
      this.#lua.lua_settop(this.#state, -2);
    }
    return bytes;
  }

  /** The temporary address of the text, and its length. */
  write(bytes: string): { readonly address: number; readonly size: number } {
    const size = bytes.length;
    const address = size > BUFFER_SIZE ? this.#arena.reserve(size) : this.#buffer;
    this.#refresh();
    if (size > SHORT) this.#bytes.write(bytes, address, "latin1");
    else {
      const to = this.#bytes;
      for (let index = 0; index < size; index++) to[address + index] = bytes.charCodeAt(index);
    }
    return { address, size };
  }

  /** The address of a name as a C string, terminated by 0. */
  name(text: string): number {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const address = this.#written(text);
    this.#names.set(text, address);
    return address;
  }

  /** Whether that C string is at that address. */
  isAt(address: number, text: string): boolean {
    this.#refresh();
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes[address + index] !== text.charCodeAt(index)) return false;
    }
    return this.#bytes[address + text.length] === 0;
  }

  /**
   * The number written in digits in the string at that index of the stack; undefined for anything else. Exact: 16
   * digits in two halves are added with one rounding.
   */
  digitsAt(index: number): number | undefined {
    const address = this.#lua.lua_tolstring(this.#state, index, this.#size);
    this.#refresh();
    const size = this.#words[this.#size >> 2] as number;
    if (size === 0 || size > 16) return undefined;
    let [high, low] = [0, 0];
    for (let at = 0; at < size; at++) {
      const digit = (this.#bytes[address + at] as number) - 48;
      if (digit < 0 || digit > 9) return undefined;
      if (at < size - 8) high = high * 10 + digit;
      else low = low * 10 + digit;
    }
    return high * 1e8 + low;
  }

  #pushNew(bytes: string): void {
    const { address, size } = this.write(bytes);
    this.#lua.lua_pushlstring(this.#state, address, size);
  }

  /** The string on top of the stack. */
  #keep(bytes: string): void {
    const lua = this.#lua;
    this.#byAddress.set(lua.lua_tolstring(this.#state, -1, 0), bytes);
    lua.lua_pushvalue(this.#state, -1);
    this.#kept.set(bytes, lua.luaL_ref(this.#state, REGISTRY));
  }

  #written(name: string): number {
    const address = this.#lua.malloc(name.length + 1);
    this.#refresh();
    this.#bytes.write(`${name}\0`, address, "latin1");
    return address;
  }

  /** When the memory grows, earlier views of it are detached. */
  #refresh(): void {
    if (this.#bytes.length > 0) return;
    this.#bytes = Buffer.from(this.#lua.memory.buffer);
    this.#words = new Uint32Array(this.#lua.memory.buffer);
  }
}
