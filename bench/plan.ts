import { FULL_COLD, QUICK_COLD, type ColdPlan } from "./cold/plan.js";
import { FULL_CONTENDED, QUICK_CONTENDED, type ContendedPlan } from "./contended/plan.js";
import { FULL_FAULTS, QUICK_FAULTS, type FaultsPlan } from "./faults/plan.js";
import { FULL_HELD, QUICK_HELD, type HeldPlan } from "./held/plan.js";
import { FULL_UNCONTENDED, QUICK_UNCONTENDED, type UncontendedPlan } from "./uncontended/plan.js";
import { FULL_WAITED, QUICK_WAITED, type WaitedPlan } from "./waited/plan.js";

/** What is measured; a part that is missing is not. */
export interface Plan {
  readonly uncontended?: UncontendedPlan;
  readonly contended?: ContendedPlan;
  readonly faults?: FaultsPlan;
  readonly held?: HeldPlan;
  readonly waited?: WaitedPlan;
  readonly cold?: ColdPlan;
}

export type PartName = keyof Plan;

export const FULL: Required<Plan> = {
  uncontended: FULL_UNCONTENDED,
  contended: FULL_CONTENDED,
  faults: FULL_FAULTS,
  held: FULL_HELD,
  waited: FULL_WAITED,
  cold: FULL_COLD,
};

/** Rough numbers in under a minute. */
export const QUICK: Required<Plan> = {
  uncontended: QUICK_UNCONTENDED,
  contended: QUICK_CONTENDED,
  faults: QUICK_FAULTS,
  held: QUICK_HELD,
  waited: QUICK_WAITED,
  cold: QUICK_COLD,
};

export const PART_NAMES = Object.keys(FULL) as PartName[];

/** Servers that it takes. */
export function nodeCountOf({ uncontended, ...parts }: Plan): number {
  const cells = uncontended?.cells.map(({ cell }) => cell.nodeCount) ?? [];
  const others = Object.values(parts).map(({ nodeCount }) => nodeCount);
  return Math.max(...cells, ...others);
}
