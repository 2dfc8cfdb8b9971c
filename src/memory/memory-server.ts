import { randomBytes } from "node:crypto";
import { bytesOf, textOf } from "./bytes.js";
import type { ConnectionListener, MemoryConnection } from "./connection.js";
import { MemoryRedis } from "./memory-redis.js";
import type { Pipe } from "./pipe.js";
import { plainReply } from "./reply.js";

/** A server in memory that can be started, stopped and disturbed. */
export class MemoryServer {
  readonly name: string;
  /** For how long each request is on its way, ms. */
  delayMs = 0;
  /** How far its clock is ahead of that of the process, ms. */
  clockOffsetMs = 0;
  #redis: MemoryRedis | undefined;
  #isFrozen = false;
  /** What is on its way to it. */
  readonly #pipes = new Set<Pipe>();
  /** What a restart that keeps its keys finds. */
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
    // No two servers, and no two runs of one, have the same.
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

  /** A connection to it begins. */
  open(pipe: Pipe): void {
    this.#pipes.add(pipe);
    if (this.#isFrozen) pipe.hold();
  }

  /** No more comes that way. */
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

  /** By Date, so that a test that has put its own clock in its place moves this one, too. */
  #nowUs(): number {
    return Math.floor((Date.now() + this.clockOffsetMs) * 1_000);
  }
}
