import type { Operation } from "../protocol/operation.js";

/**
 * The longest ttl of a key on one node, as the node's record has it.
 *
 * A node that lost its keys does not vote for as long as the record says, so a key with a longer ttl must not be
 * stored before the record says so.
 */
export class RecordedTtl {
  /** What this client asks for in every handshake, ms. */
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

  /** Why the operation must not be sent now; undefined if it may. */
  problemOf({ kind, ttlMs, marginMs = 0 }: Operation): string | undefined {
    const isStoring = kind === "acquire" || kind === "extend" || kind === "heal";
    if (!isStoring || ttlMs - marginMs <= this.#recordedMs) return undefined;
    return `its record does not allow for keys of ${ttlMs - marginMs} ms yet`;
  }
}
