import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { number } from "../validate.js";

/** A hundred years: nanoseconds of much more do not fit into 64 bits. */
const MAX_JUMP_MS = 36_525 * 86_400_000;
const MAX_RATE = 1_000_000;
const NS_PER_MS = 1_000_000n;
/** Byte offsets and sizes of what the shim maps: the version, and two lines. */
const LINES_OFFSET = 8;
const LINE_BYTES = 24;
const FILE_BYTES = LINES_OFFSET + 2 * LINE_BYTES;

/** From `realNs` on, the clock shows `shownNs` and advances `rate` times as fast as the real one. */
interface Line {
  readonly realNs: bigint;
  readonly shownNs: bigint;
  readonly rate: number;
}

const TRUE_TIME: Line = { realNs: 0n, shownNs: 0n, rate: 1 };

/**
 * The wall clock of one server, which can be set and made to run fast or slow while the
 * server runs: `TIME` and the expiry of keys follow it. Like the clock of a machine it is
 * not changed by a restart of the server.
 *
 * Time that the server measures with its monotonic clock, such as the pace of its background
 * jobs and the limit for slow scripts, stays true.
 */
export class ServerClock {
  readonly #file: string;
  readonly #fd: number;
  #line = TRUE_TIME;
  #version = 0;
  #closed = false;

  /** @internal Makes the file through which the server is told. */
  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, "w+", 0o600);
    writeSync(this.#fd, Buffer.alloc(FILE_BYTES));
    this.#set(TRUE_TIME);
  }

  /**
   * Sets the clock forward, or back with a negative `ms`. It goes on from there at its rate.
   *
   * @throws TypeError if `ms` is no number, RangeError if it is more than a hundred years.
   */
  jump(ms: number): void {
    number("ms", ms, -MAX_JUMP_MS, MAX_JUMP_MS);
    const byNs = BigInt(Math.round(ms * 1e6));
    this.#set({ ...this.#line, shownNs: this.#line.shownNs + byNs });
  }

  /**
   * Makes the clock run `factor` times as fast as the true one from now on: 1.005 gains 5 ms
   * a second, 0 stands still. What it shows does not jump.
   *
   * @throws TypeError if `factor` is no number, RangeError if it is not from 0 to 1,000,000.
   */
  rate(factor: number): void {
    number("factor", factor, 0, MAX_RATE);
    // Where the two lines meet does not have to be known exactly, it only has to be on both.
    const realNs = BigInt(Date.now()) * NS_PER_MS;
    this.#set({ realNs, shownNs: shownAt(this.#line, realNs), rate: factor });
  }

  /** Shows the real time again, at the real rate. This may be a jump in either direction. */
  reset(): void {
    this.#set(TRUE_TIME);
  }

  /** @internal True if that process goes by this clock. */
  governs(pid: number): boolean {
    return readFileSync(`/proc/${pid}/maps`, "utf8").includes(this.#file);
  }

  /** @internal */
  close(): void {
    if (!this.#closed) closeSync(this.#fd);
    this.#closed = true;
  }

  #set(line: Line): void {
    if (this.#closed) throw new Error("cannot set the clock of a server that was stopped");
    this.#line = line;
    this.#version = (this.#version + 1) % 256;
    // The line in use is left alone, so the server never reads one that is half written.
    const bytes = new DataView(new ArrayBuffer(LINE_BYTES));
    new BigInt64Array(bytes.buffer, 0, 2).set([line.realNs, line.shownNs]);
    new Float64Array(bytes.buffer, 16, 1).set([line.rate]);
    writeSync(this.#fd, bytes, 0, LINE_BYTES, LINES_OFFSET + (this.#version % 2) * LINE_BYTES);
    writeSync(this.#fd, Uint8Array.of(this.#version), 0, 1, 0);
  }
}

function shownAt(line: Line, realNs: bigint): bigint {
  const passedNs = realNs - line.realNs;
  if (line.rate === 1) return line.shownNs + passedNs;
  return line.shownNs + BigInt(Math.trunc(Number(passedNs) * line.rate));
}
