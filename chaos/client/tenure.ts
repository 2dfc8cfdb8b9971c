import type { Random } from "../../sim/random.js";
import type { Job } from "./messages.js";

/** How a lock is acquired, held and released. */
export interface Tenure {
  readonly name: string;
  /** Undefined for a single attempt. */
  readonly waitMs: number | undefined;
  readonly abortAfterMs: number | undefined;
  readonly renew: boolean;
  readonly holdMs: number;
  /** The longest pause between two updates of the stores. */
  readonly writeEveryMs: number;
  /** Time between two manual extends; Infinity for none. */
  readonly extendEveryMs: number;
  readonly isReleasedTwice: boolean;
}

type Style = "brief" | "some" | "long" | "toTheEnd" | "byHand" | "own";

/** In percent. */
const STYLES: Readonly<Record<Job["schedule"], Readonly<Record<Style, number>>>> = {
  random: { brief: 56, some: 18, long: 3, toTheEnd: 2, byHand: 3, own: 18 },
  "fast-clocks": { brief: 10, some: 0, long: 0, toTheEnd: 90, byHand: 0, own: 0 },
  "clock-steps": { brief: 30, some: 20, long: 40, toTheEnd: 10, byHand: 0, own: 0 },
  "slow-replies": { brief: 10, some: 0, long: 0, toTheEnd: 90, byHand: 0, own: 0 },
  outages: { brief: 50, some: 50, long: 0, toTheEnd: 0, byHand: 0, own: 0 },
  relays: { brief: 10, some: 15, long: 70, toTheEnd: 0, byHand: 0, own: 5 },
};

/** Draws what a client does next. */
export function drawTenure(random: Random, job: Job): Tenure {
  const style = drawStyle(random, STYLES[job.schedule]);
  const { ttlMs, names, process } = job;
  // A name without contention shows whether the nodes themselves can grant a lock.
  const name = style === "own" ? `own:${process}` : random.oneOf(names);
  const isTried = style !== "own" && random.chance(20);
  return {
    name,
    waitMs: isTried ? undefined : style === "own" ? ttlMs : random.between(20, 2 * ttlMs),
    abortAfterMs: style !== "own" && random.chance(8) ? random.between(1, 200) : undefined,
    renew: style !== "toTheEnd" && style !== "byHand",
    ...holdOf(style, random, ttlMs),
    extendEveryMs: style === "byHand" ? Math.floor(ttlMs / 3) : Number.POSITIVE_INFINITY,
    isReleasedTwice: random.chance(5),
  };
}

function drawStyle(random: Random, shares: Readonly<Record<Style, number>>): Style {
  let left = random.below(100);
  for (const [style, share] of Object.entries(shares) as [Style, number][]) {
    left -= share;
    if (left < 0) return style;
  }
  return "brief";
}

function holdOf(style: Style, random: Random, ttlMs: number) {
  switch (style) {
    case "brief":
    case "own":
      return { holdMs: 0, writeEveryMs: 1 };
    case "some":
      return { holdMs: random.between(20, 250), writeEveryMs: 40 };
    case "long":
    case "byHand":
      return { holdMs: random.between(Math.floor(ttlMs / 2), 2 * ttlMs), writeEveryMs: 100 };
    case "toTheEnd":
      // Longer than its validity: it works until it is notified that it has lost the lock.
      return { holdMs: 2 * ttlMs, writeEveryMs: 30 };
  }
}
