import type { Plant, ScheduleName } from "../settings.js";

/** A place in the compiled library, and its replacement. */
export interface Patch {
  /** Relative to `src/`. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface PlantedBug {
  /** The schedule that finds it. */
  readonly schedule: ScheduleName;
  /** None if the bug is an option of the lock manager. */
  readonly patches: readonly Patch[];
}

/** Bugs that a campaign must find. Only client processes have them; everything else is sound. */
export const PLANTS: Readonly<Record<Plant, PlantedBug>> = {
  "no-drift": { schedule: "fast-clocks", patches: [] },
  "no-margin": { schedule: "clock-steps", patches: [] },
  "no-quarantine": { schedule: "relays", patches: [] },
  "validity-from-reply": {
    schedule: "slow-replies",
    patches: [
      {
        file: "coordinator/attempt.js",
        find: "return validUntilMs(this.#firstSendMs ?? 0, ttlMs, driftFactor);",
        replace: "return validUntilMs(this.#context.clock.now(), ttlMs, driftFactor);",
      },
      {
        file: "coordinator/lease-renewal.js",
        find: "this.#lease.onExtended(firstSendMs, ttlMs, votes);",
        replace: "this.#lease.onExtended(this.#context.clock.now(), ttlMs, votes);",
      },
    ],
  },
  "release-to-reachable": {
    schedule: "outages",
    patches: [
      {
        file: "channel/pending-releases.js",
        find: "keep(entry) {",
        replace: "keep(entry) {\n        if (entry !== undefined) return false;",
      },
    ],
  },
};

/** The patched text of a file of `src/`. */
export function patchedText(plant: Plant, file: string, text: string): string {
  return PLANTS[plant].patches
    .filter((patch) => patch.file === file)
    .reduce((source, { find, replace }) => {
      const count = source.split(find).length - 1;
      if (count !== 1) throw new Error(`plant ${plant}: found ${count} times in ${file}: ${find}`);
      return source.replace(find, () => replace);
    }, text);
}
