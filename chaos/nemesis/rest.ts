import { setTimeout as sleep } from "node:timers/promises";

/** Waits; cut short when the campaign ends, so that every fault still ends in its own way. */
export type Rest = (ms: number) => Promise<void>;

export function restUntil(signal: AbortSignal): Rest {
  return async (ms) => {
    try {
      await sleep(ms, undefined, { signal });
    } catch {
      // The campaign is over.
    }
  };
}
