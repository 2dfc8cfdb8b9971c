import type { OracleId, Violation } from "../../sim/oracles/history.js";
import { judge } from "../../sim/oracles/judge.js";
import type { ChaosRecord } from "../history/records.js";
import type { CampaignSettings, Profile } from "../settings.js";
import { toHistory } from "./convert.js";
import { isByLateWrite, lateWritesOf } from "./late-writes.js";
import { checkAnswers } from "./releases.js";

/** Oracles of the simulator that can judge what is visible from outside. R1 is judged in releases.ts. */
export const SHARED_ORACLES: readonly OracleId[] = [
  ...(["S1", "S6", "F1", "F2", "F3"] as const),
  ...(["L1", "L2", "L3", "L4"] as const),
];

/** Promises that need clocks and nodes to behave as in the model. */
const NEEDS_MODEL: Readonly<Record<Profile, readonly OracleId[]>> = {
  model: [],
  outside: ["S1", "F3"],
};

export interface Verdict {
  /** Promises that were broken. */
  readonly violations: readonly Violation[];
  /** Violations of promises that were not made for this campaign. */
  readonly expected: readonly Violation[];
  readonly lateWriteCount: number;
  /** 0: nothing is broken, 1: a safety promise is broken, 2: only liveness promises are. */
  readonly exitCode: 0 | 1 | 2;
}

/** Judges a campaign by its history alone. */
export function verdictOf(records: readonly ChaosRecord[], settings: CampaignSettings): Verdict {
  const found = [
    ...judge(toHistory(records, settings), SHARED_ORACLES),
    ...checkAnswers(records),
  ].toSorted((a, b) => a.atUs - b.atUs);
  const late = lateWritesOf(records);
  const isExpected = (violation: Violation): boolean =>
    NEEDS_MODEL[settings.profile].includes(violation.id) || isByLateWrite(violation, records, late);
  const violations = found.filter((violation) => !isExpected(violation));
  return {
    violations,
    expected: found.filter(isExpected),
    lateWriteCount: late.length,
    exitCode: exitCodeOf(violations),
  };
}

function exitCodeOf(violations: readonly Violation[]): 0 | 1 | 2 {
  if (violations.length === 0) return 0;
  return violations.every(({ id }) => id.startsWith("L")) ? 2 : 1;
}
