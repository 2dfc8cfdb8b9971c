import type { Operation } from "../protocol/operation.js";

/**
 * The longest life of a key on one node, as the node's record has it.
 *
 * A node that forgot its keys does not vote for as long as the record says, so a key that lives longer must not be
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

  /** Whether the record is behind what this client wants. */
  get isBehind(): boolean {
    return this.#recordedMs < this.wantedMs;
  }

  /** A handshake was answered. */
  onRecord(maxTtlMs: number): void {
    this.#recordedMs = maxTtlMs;
    if (!this.isBehind) this.onEnd();
  }

  /** Resolves when the record is no longer behind, or when the node cannot be asked any more. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The connection is over. */
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
