import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { FleetNode } from "../../../src/testing/index.js";

/** The value of one key on some nodes at one instant. */
export interface KeySample {
  readonly atMs: number;
  /** Value per node; null where the key is free. */
  readonly values: readonly (string | null)[];
}

/** Reads a lock key directly on the servers, bypassing links and the library. */
export class KeyObserver {
  readonly #clients: readonly Redis[];
  readonly #key: string;
  readonly #samples: KeySample[] = [];
  #isWatching = false;

  /** @param nodes only nodes that answer: a frozen node would block the observer as well */
  constructor(nodes: readonly FleetNode[], key: string) {
    this.#clients = nodes.map((node) => new Redis(node.directUrl));
    for (const client of this.#clients) client.on("error", () => {});
    this.#key = key;
  }

  get samples(): readonly KeySample[] {
    return this.#samples;
  }

  async sample(): Promise<KeySample> {
    const values = await Promise.all(this.#clients.map((client) => client.get(this.#key)));
    return { atMs: performance.now(), values };
  }

  /** Remaining ttl of the key where it exists, ms, longest first. */
  async remainingMs(): Promise<number[]> {
    const all = await Promise.all(this.#clients.map((client) => client.pttl(this.#key)));
    return all.filter((ms) => ms > 0).toSorted((a, b) => b - a);
  }

  /** Samples until {@link stop}. */
  watch(everyMs: number): void {
    this.#isWatching = true;
    void (async () => {
      while (this.#isWatching) {
        this.#samples.push(await this.sample());
        await sleep(everyMs);
      }
    })();
  }

  stop(): void {
    this.#isWatching = false;
  }
}
