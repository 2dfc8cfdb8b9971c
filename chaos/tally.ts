import type { Counts } from "./client/messages.js";
import type { Fault } from "./nemesis/faults.js";
import type { CampaignSettings } from "./settings.js";

/** The current activity, for the live view. */
export interface View {
  /** 0 to 1. */
  readonly progress: number;
  readonly elapsedMs: number;
  readonly granted: number;
  readonly refused: number;
  readonly failed: number;
  readonly lost: number;
  readonly active: readonly Fault[];
  readonly overwritten: Readonly<Record<"fenced" | "unfenced", number>>;
}

/** Sums up the clients' reports. Live and approximate: a killed client's last counts are lost. */
export class Tally {
  readonly #durationMs: number;
  #counts = { granted: 0, refused: 0, failed: 0, lost: 0 };

  constructor({ durationMs }: CampaignSettings) {
    this.#durationMs = durationMs;
  }

  add({ granted, refused, failed, lost }: Counts): void {
    const sum = this.#counts;
    this.#counts = {
      granted: sum.granted + granted,
      refused: sum.refused + refused,
      failed: sum.failed + failed,
      lost: sum.lost + lost,
    };
  }

  view(elapsedMs: number, active: View["active"], overwritten: View["overwritten"]): View {
    const progress = Math.min(1, elapsedMs / this.#durationMs);
    return { progress, elapsedMs, ...this.#counts, active, overwritten: { ...overwritten } };
  }
}
