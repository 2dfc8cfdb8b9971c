import { briefCountAfter } from "../protocol/backoff.js";

/** Counts connections in a row that were in use, and not for long: a server may end each. */
export class BriefUses {
  count = 0;
  /** Lease clock, ms; Infinity while none is in use. */
  #sinceMs = Number.POSITIVE_INFINITY;

  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  end(nowMs: number): void {
    this.count = briefCountAfter(this.count, nowMs - this.#sinceMs);
    this.#sinceMs = Number.POSITIVE_INFINITY;
  }
}
