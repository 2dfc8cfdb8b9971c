import { Instance, Module, type Memory, type Table } from "./web-assembly.js";

/**
 * How much garbage scripts may leave before the memory is reset: about what fits into a processor's caches.
 */
const FULL_BYTES = 384 << 10;

/** Pages of 64 KB at the start; it grows automatically. */
const FIRST_PAGES = 64;

/**
 * A `lua_Alloc` in a WebAssembly module of its own, because JavaScript would be called too often: a bump allocator
 * that frees nothing.
 *
 *     (import "e" "m" (memory 1))
 *     (global $top (export "top") (mut i32) (i32.const 0))
 *     (func (export "f") (param $ud i32) (param $old i32) (param $oldSize i32) (param $size i32) (result i32)
 *       (local $new i32) (local $end i32)
 *       (if (i32.eqz (local.get $size)) (then (return (i32.const 0))))
 *       (if (i32.le_u (local.get $size) (local.get $oldSize)) (then (return (local.get $old))))
 *       (local.set $new (global.get $top))
 *       (local.set $end (i32.and (i32.add (i32.add (local.get $new) (local.get $size)) (i32.const 7)) (i32.const -8)))
 *       (if (i32.gt_u (local.get $end) (i32.shl (memory.size) (i32.const 16)))
 *         (then (if (i32.eq (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 64))) (i32.const -1))
 *           (then (return (i32.const 0))))))
 *       (global.set $top (local.get $end))
 *       (if (local.get $oldSize) (then (memory.copy (local.get $new) (local.get $old) (local.get $oldSize))))
 *       (local.get $new))
 */
const ALLOCATOR =
  "AGFzbQEAAAABCQFgBH9/f38BfwIIAQFlAW0CAAEDAgEABgYBfwFBAAsHCwIDdG9wAwABZgAACl8BXQECfyADRQRAQQAPCyADIAJNBEAgAQ8LIwAh" +
  "BCAEIANqQQdqQXhxIQUgBT8AQRB0SwRAIANBEHZBwABqQABBf0YEQEEADwsLIAUkACACBEAgBCABIAL8CgAACyAECw==";

/**
 * The memory of one Lua state. Collecting the garbage of a script costs more than running most scripts. So nothing is
 * freed: the memory before the first script is copied, and restored between two runs once enough has been used.
 */
export class LuaArena {
  /** For `lua_newstate`. */
  readonly allocator: number;
  readonly #memory: Memory;
  readonly #top: { value: number };
  readonly #start: number;
  #base = new Uint8Array();

  constructor(memory: Memory, functions: Table) {
    this.#memory = memory;
    const module = new Module(Buffer.from(ALLOCATOR, "base64"));
    const { exports } = new Instance(module, { e: { m: memory } });
    this.#top = exports["top"] as { value: number };
    this.#start = memory.grow(FIRST_PAGES) << 16;
    this.#top.value = this.#start;
    this.allocator = functions.grow(1);
    functions.set(this.allocator, exports["f"]);
  }

  get isFull(): boolean {
    return this.#top.value - this.#start - this.#base.length > FULL_BYTES;
  }

  /** Allocates that many bytes, until the memory is reset. */
  reserve(size: number): number {
    const address = this.#top.value;
    const end = address + ((size + 7) & -8);
    const missing = end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow((missing >> 16) + 1);
    this.#top.value = end;
    return address;
  }

  /** The current memory is what a reset restores. */
  remember(): void {
    this.#base = new Uint8Array(this.#memory.buffer).slice(this.#start, this.#top.value);
  }

  restore(): void {
    new Uint8Array(this.#memory.buffer).set(this.#base, this.#start);
    this.#top.value = this.#start + this.#base.length;
  }
}
