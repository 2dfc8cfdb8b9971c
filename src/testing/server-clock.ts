import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { number } from "../runtime/validate.js";

/** A hundred years: much more, in nanoseconds, does not fit into 64 bits. */
const MAX_JUMP_MS = 36_525 * 86_400_000;
const MAX_RATE = 1_000_000;
const NS_PER_MS = 1_000_000n;
/** Layout of the file that the shim maps, in bytes: the version, and two lines. */
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
 * The wall clock of one server. While the server runs, the clock can be set, and can be made to run fast or slow:
 * `TIME` and the expiry of keys follow it. A restart of the server does not change it, as with the clock of a machine.
 *
 * The server's monotonic clock is not affected. It is used, for example, for the interval of background jobs and the
 * time limit of scripts. The server and its modules cannot read `/proc/cpuinfo`: where a server finds a steady counter of
 * the processor there, it would tell the time by that.
 */
export class ServerClock {
  readonly #file: string;
  readonly #fd: number;
  #line = TRUE_TIME;
  #version = 0;
  #closed = false;

  /** @internal Creates the file from which the server reads its clock. */
  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, "w+", 0o600);
    writeSync(this.#fd, Buffer.alloc(FILE_BYTES));
    this.#set(TRUE_TIME);
  }

  /**
   * Sets the clock forward by `ms`, or back if `ms` is negative. Its rate does not change.
   *
   * @throws TypeError if `ms` is not a number, RangeError if it is more than a hundred years. Error if the server was
   *   stopped.
   */
  jump(ms: number): void {
    number("ms", ms, -MAX_JUMP_MS, MAX_JUMP_MS);
    const byNs = BigInt(Math.round(ms * 1e6));
    this.#set({ ...this.#line, shownNs: this.#line.shownNs + byNs });
  }

  /**
   * Makes the clock run `factor` times as fast as real time from now on: with 1.005 it gains 5 ms per second, with 0 it
   * stands still. The time that it shows does not jump.
   *
   * @throws TypeError if `factor` is not a number, RangeError if it is not from 0 to 1,000,000. Error if the server was
   *   stopped.
   */
  rate(factor: number): void {
    number("factor", factor, 0, MAX_RATE);
    // The old and the new line must meet at a common point; exactly which one does not matter.
    const realNs = BigInt(Date.now()) * NS_PER_MS;
    this.#set({ realNs, shownNs: shownAt(this.#line, realNs), rate: factor });
  }

  /**
   * Shows real time again, at the real rate. This may be a jump in either direction.
   *
   * @throws Error if the server was stopped.
   */
  reset(): void {
    this.#set(TRUE_TIME);
  }

  /** @internal Whether that process uses this clock. */
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
