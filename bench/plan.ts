import { FULL_BUDGET, QUICK_BUDGET, type BudgetPlan } from "./budget/plan.js";
import { FULL_COLD, QUICK_COLD, type ColdPlan } from "./cold/plan.js";
import { FULL_CONTENDED, QUICK_CONTENDED, type ContendedPlan } from "./contended/plan.js";
import { FULL_FAULTS, QUICK_FAULTS, type FaultsPlan } from "./faults/plan.js";
import { FULL_FEATURES, QUICK_FEATURES, type FeaturesPlan } from "./features/plan.js";
import { FULL_HELD, QUICK_HELD, type HeldPlan } from "./held/plan.js";
import { FULL_OBSERVED, QUICK_OBSERVED, type ObservedPlan } from "./observed/plan.js";
import { FULL_PERMITS, QUICK_PERMITS, type PermitsPlan } from "./permits/plan.js";
import { FULL_SERVERS, QUICK_SERVERS, type ServersPlan } from "./servers/plan.js";
import { FULL_TAKEOVER, QUICK_TAKEOVER, type TakeoverPlan } from "./takeover/plan.js";
import { FULL_UNCONTENDED, QUICK_UNCONTENDED, type UncontendedPlan } from "./uncontended/plan.js";
import { FULL_WAITED, QUICK_WAITED, type WaitedPlan } from "./waited/plan.js";
import { FULL_WIDE, QUICK_WIDE, type WidePlan } from "./wide/plan.js";

/** The plan of each part. */
export interface Plans {
  readonly uncontended: UncontendedPlan;
  readonly budget: BudgetPlan;
  readonly contended: ContendedPlan;
  readonly held: HeldPlan;
  readonly waited: WaitedPlan;
  readonly permits: PermitsPlan;
  readonly observed: ObservedPlan;
  readonly features: FeaturesPlan;
  readonly takeover: TakeoverPlan;
  readonly cold: ColdPlan;
  readonly wide: WidePlan;
  readonly servers: ServersPlan;
  readonly faults: FaultsPlan;
}

/** The parts to measure; missing parts are not measured. */
export type Plan = Partial<Plans>;

export type PartName = keyof Plans;

export const FULL: Plans = {
  uncontended: FULL_UNCONTENDED,
  budget: FULL_BUDGET,
  contended: FULL_CONTENDED,
  held: FULL_HELD,
  waited: FULL_WAITED,
  permits: FULL_PERMITS,
  observed: FULL_OBSERVED,
  features: FULL_FEATURES,
  takeover: FULL_TAKEOVER,
  cold: FULL_COLD,
  wide: FULL_WIDE,
  servers: FULL_SERVERS,
  // Last: it leaves servers that were killed and restarted.
  faults: FULL_FAULTS,
};

/** Rough numbers in little more than a minute. */
export const QUICK: Plans = {
  uncontended: QUICK_UNCONTENDED,
  budget: QUICK_BUDGET,
  contended: QUICK_CONTENDED,
  held: QUICK_HELD,
  waited: QUICK_WAITED,
  permits: QUICK_PERMITS,
  observed: QUICK_OBSERVED,
  features: QUICK_FEATURES,
  takeover: QUICK_TAKEOVER,
  cold: QUICK_COLD,
  wide: QUICK_WIDE,
  servers: QUICK_SERVERS,
  faults: QUICK_FAULTS,
};

/** In the order of measurement. */
export const PART_NAMES = Object.keys(FULL) as PartName[];

/** Number of servers that it needs. */
export function nodeCountOf({ uncontended, budget, ...parts }: Plan): number {
  const plans = [uncontended, budget].flatMap((plan) => plan?.cells ?? []);
  const cells = plans.map(({ cell }) => cell.nodeCount);
  const others = Object.values(parts).map(({ nodeCount }) => nodeCount);
  return Math.max(...cells, ...others);
}
