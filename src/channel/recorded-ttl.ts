import type { Refusal, Storing } from "./entry.js";

/**
 * The longest ttl of a key on one node, as the node's record has it.
 *
 * A node that lost its keys does not vote for as long as the record says, so a key with a longer ttl must not be
 * stored before the record says so.
 */
export class RecordedTtl {
  /** What this client asks for in every handshake, ms; 0 as long as it takes what there is. */
  wantedMs: number;
  #recordedMs = 0;
  #waiting: (() => void)[] = [];

  constructor(wantedMs: number) {
    this.wantedMs = wantedMs;
  }

  /** Whether the record is lower than what this client needs. */
  get isBehind(): boolean {
    return this.#recordedMs < this.wantedMs;
  }

  /** Whether keys with that ttl need more than the record allows, and more than was asked for, ms. */
  isMore(ttlMs: number): boolean {
    return ttlMs > Math.max(this.wantedMs, this.#recordedMs);
  }

  /** A handshake was answered. */
  onRecord(maxTtlMs: number): void {
    this.#recordedMs = maxTtlMs;
    if (!this.isBehind) this.onEnd();
  }

  /** Resolves when the record is no longer lower, or when the node cannot be asked any more. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The connection has ended. */
  onEnd(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Why the operation must not be sent now, whether or not the record will be raised; undefined if it may. */
  problemOf({ kind, ttlMs = 0, marginMs = 0 }: Storing): Refusal | undefined {
    const isStoring = kind === "acquire" || kind === "extend" || kind === "heal";
    const neededMs = ttlMs - marginMs;
    if (!isStoring || neededMs <= this.#recordedMs) return undefined;
    const needs = `keys of ${neededMs} ms`;
    if (neededMs <= this.wantedMs) {
      return { fault: "quarantined", message: `its record does not allow for ${needs} yet` };
    }
    const message = `its record allows for ${this.#recordedMs} ms, and not for ${needs}`;
    return { fault: "misconfigured", message };
  }
}
