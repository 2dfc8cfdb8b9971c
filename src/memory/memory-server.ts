import { randomBytes } from "node:crypto";
import { bytesOf, textOf } from "./bytes.js";
import type { ConnectionListener, MemoryConnection } from "./connection.js";
import { MemoryRedis } from "./memory-redis.js";
import type { Pipe } from "./pipe.js";
import { plainReply } from "./reply.js";

/** An in-memory server that can be started, stopped and disturbed. */
export class MemoryServer {
  readonly name: string;
  /** Delay of each request, ms. */
  delayMs = 0;
  /** How far its clock is ahead of the process's, ms. */
  clockOffsetMs = 0;
  #redis: MemoryRedis | undefined;
  #isFrozen = false;
  /** Requests in flight to it. */
  readonly #pipes = new Set<Pipe>();
  /** The data that a restart restores if it keeps its keys. */
  #saved: MemoryRedis | undefined;

  constructor(name: string) {
    this.name = name;
    this.start(false);
  }

  get isRunning(): boolean {
    return this.#redis !== undefined;
  }

  start(keepsKeys: boolean): void {
    const before = keepsKeys ? this.#saved : undefined;
    before?.scripts.flush();
    this.#redis = before ?? new MemoryRedis({ nowUs: () => this.#nowUs() });
    // Unique for every server and every run of one.
    this.#redis.about = { ...this.#redis.about, run_id: randomBytes(20).toString("hex") };
    this.#saved = undefined;
    this.thaw();
  }

  stop(): void {
    const redis = this.#redis;
    if (redis === undefined) return;
    this.#saved = redis;
    this.#redis = undefined;
    redis.disconnectAll();
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const pipe of this.#pipes) pipe.hold();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const pipe of this.#pipes) pipe.letGo();
  }

  /** Opens a connection to it. */
  open(pipe: Pipe): void {
    this.#pipes.add(pipe);
    if (this.#isFrozen) pipe.hold();
  }

  /** Nothing more arrives through that pipe. */
  forget(pipe: Pipe): void {
    this.#pipes.delete(pipe);
  }

  /** Undefined if it is not running. */
  connect(listener: ConnectionListener): MemoryConnection | undefined {
    return this.#redis?.connect(listener);
  }

  command(words: readonly string[]): unknown {
    if (this.#redis === undefined) throw new Error(`${this.name} has crashed`);
    return plainReply(this.#redis.execute(words.map(bytesOf)));
  }

  keys(): string[] {
    if (this.#redis === undefined) return [];
    const { keys } = this.#redis;
    this.#redis.tick();
    return [...keys.entries()].flatMap(([key]) => (keys.find(key) ? [textOf(key)] : []));
  }

  /** Uses Date, so that a test that replaces the clock moves this one, too. */
  #nowUs(): number {
    return Math.floor((Date.now() + this.clockOffsetMs) * 1_000);
  }
}
