import type { Fact, Observation } from "./scenarios/scenario.js";

/** Whether a library did what the row expects: in time, too late or in part, or not. */
export type Met = "met" | "partly" | "not";

/** What a person would call at once, ms. */
const SOON_MS = 1_000;

/** What each row expects, of what was measured. */
const EXPECTED: Readonly<Record<string, (facts: Observation["facts"]) => Met>> = {
  "tie-2": isRefusedSoon,
  "tie-4": isRefusedSoon,
  "split-vote": ({ firstGrantMs, grantedCounts }) => {
    const grants = numbersIn(firstGrantMs);
    if (grants.length < listOf(firstGrantMs).length) return "not";
    // All three, in each round.
    const isShared = numbersIn(grantedCounts).every((count) => count === 3);
    return isShared && Math.max(...grants) < SOON_MS ? "met" : "partly";
  },
  "one-frozen-acquire": isGrantedSoon,
  "one-dead-acquire": isGrantedSoon,
  "one-frozen-hold": isKept,
  "one-dead-hold": isKept,
  "majority-frozen": ({ toldAfterEndMs }) => {
    if (typeof toldAfterEndMs !== "number") return "not";
    return toldAfterEndMs <= 0 ? "met" : "partly";
  },
  "late-quorum": ({ isGranted }) => (isGranted === false ? "met" : "not"),
  "late-landing": ({ orphanedMs }) => (orphanedMs === 0 ? "met" : "not"),
  "restart-empty": hasOneHolder,
  "clock-step": hasOneHolder,
  "clock-step-2-of-3": hasOneHolder,
  "clock-step-all": hasOneHolder,
  "clock-step-one-node": hasOneHolder,
  "clock-jump-2-of-3": hasOneHolder,
  stall: ({ saysHeldAtOnce }) => (saysHeldAtOnce === false ? "met" : "not"),
  // Both ends: that of a routine with a result, and that of one with an error.
  "outlived-lock": ({ result, error }) => {
    const ends = [result, error].map(String);
    if (ends.every((end) => end.startsWith("reported"))) return "met";
    // The loss is, and the result or error of the routine is not.
    return ends.every((end) => end.startsWith("replaced")) ? "partly" : "not";
  },
};

/**
 * @returns what an observation is worth, by the facts alone
 * @throws RangeError for a scenario that has no expectation
 */
export function metIn(scenarioId: string, facts: Observation["facts"]): Met {
  const expected = EXPECTED[scenarioId];
  if (expected === undefined) throw new RangeError(`nothing is expected of "${scenarioId}"`);
  return expected(facts);
}

function isRefusedSoon({ outcome, isGranted, afterMs }: Observation["facts"]): Met {
  if (outcome === "pending" || isGranted === true) return "not";
  return Number(afterMs) < SOON_MS ? "met" : "partly";
}

function isGrantedSoon({ isGranted, afterMs }: Observation["facts"]): Met {
  if (isGranted !== true) return "not";
  return Number(afterMs) < SOON_MS ? "met" : "partly";
}

function isKept({ keysGoneAfterMs }: Observation["facts"]): Met {
  return keysGoneAfterMs === undefined ? "met" : "not";
}

/** Nobody else was granted the lock before its first holder was told. */
function hasOneHolder({ grantedAfterMs, firstToldAfterMs }: Observation["facts"]): Met {
  if (typeof grantedAfterMs !== "number") return "met";
  const isTold = typeof firstToldAfterMs === "number" && firstToldAfterMs <= grantedAfterMs;
  return isTold ? "met" : "not";
}

function listOf(fact: Fact): readonly Fact[] {
  return Array.isArray(fact) ? (fact as readonly Fact[]) : [];
}

function numbersIn(fact: Fact): number[] {
  return listOf(fact).filter((each) => typeof each === "number");
}
