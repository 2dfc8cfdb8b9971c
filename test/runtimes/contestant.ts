/**
 * Run as a process, by any runtime: contends with another process for one name. Each line of its input is a task:
 *
 * - `contend`: take the lock again and again, until the next task
 * - `keep`: take it, and keep it until it is lost
 *
 * It says what happened as lines of JSON, and has to end by itself when its input does.
 */
import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Lock, LockManager as Manager, NodeConfig } from "../../src/index.js";

/** What a test gives it, as JSON. */
export interface Terms {
  /** What it imports as the package. */
  readonly quorate: string;
  readonly client: ClientName;
  readonly urls: readonly string[];
  readonly ttlMs: number;
  /** Where the holder has a file, which none has beside it. */
  readonly dir: string;
}

export type ClientName =
  | "a URL"
  | "ioredis 5"
  | "ioredis 6"
  | "iovalkey"
  | "node-redis 5"
  | "node-redis 6";

interface Client {
  readonly node: NodeConfig;
  readonly close: () => void;
}

interface AnyRedis {
  connect(): Promise<unknown>;
  disconnect(): void;
}

/** A node as an open client of each package that can be one. */
export const CLIENTS: Readonly<Record<ClientName, (url: string) => Promise<Client>>> = {
  "a URL": (url: string) => Promise.resolve({ node: url, close: () => {} }),
  "ioredis 5": async (url: string) => likeIoredis(new (await import("ioredis-5")).Redis(url, LAZY)),
  "ioredis 6": async (url: string) => likeIoredis(new (await import("ioredis")).Redis(url, LAZY)),
  iovalkey: async (url: string) => likeIoredis(new (await import("iovalkey")).Redis(url, LAZY)),
  "node-redis 5": async (url: string) => {
    const client = (await import("redis-5")).createClient({ url });
    await client.connect();
    return { node: client, close: () => client.destroy() };
  },
  "node-redis 6": async (url: string) => {
    const client = (await import("redis-6")).createClient({ url });
    await client.connect();
    return { node: client, close: () => client.destroy() };
  },
};

const LAZY = { lazyConnect: true };
const NAME = "contended";

async function likeIoredis(client: NodeConfig & AnyRedis): Promise<Client> {
  await client.connect();
  return { node: client, close: () => client.disconnect() };
}

class Contestant {
  readonly #locks: Manager;
  readonly #file: string;
  #task = "";
  #ended: Promise<void> = Promise.resolve();

  constructor(locks: Manager, dir: string) {
    this.#locks = locks;
    this.#file = join(dir, "held");
  }

  do(task: string): void {
    this.#task = task;
    this.#ended = this.#ended
      .then(() => (task === "contend" ? this.#contend() : this.#keep()))
      .catch((error: unknown) => say({ failed: String(error) }));
  }

  end(): void {
    this.#task = "";
  }

  async #contend(): Promise<void> {
    while (this.#task === "contend") {
      const lock = await this.#acquire();
      // Throws where another process has it.
      closeSync(openSync(this.#file, "wx"));
      await later(5);
      unlinkSync(this.#file);
      say({ token: lock.fencingToken });
      await lock.release();
    }
  }

  async #keep(): Promise<void> {
    const lock = await this.#acquire();
    lock.signal.addEventListener("abort", () => {
      const { code, reason } = lock.signal.reason as { code: string; reason: string };
      say({ lost: code, reason, isHeld: lock.isHeld });
    });
    say({ kept: lock.fencingToken });
  }

  #acquire(): Promise<Lock> {
    return this.#locks.acquire(NAME, { waitMs: 60_000 });
  }
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

const { TERMS } = process.env;
if (TERMS !== undefined) {
  const { quorate, client, urls, ttlMs, dir } = JSON.parse(TERMS) as Terms;
  const { LockManager } = (await import(quorate)) as { LockManager: typeof Manager };
  const clients: readonly Client[] = await Promise.all(urls.map(CLIENTS[client]));
  const locks = new LockManager(
    clients.map(({ node }) => node),
    { ttlMs },
  );
  locks.on("warning", ({ code }) => say({ warning: code }));
  const contestant = new Contestant(locks, dir);
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => contestant.do(line));
  input.on("close", () => {
    contestant.end();
    void locks.close().then(() => clients.forEach(({ close }) => close()));
  });
}
