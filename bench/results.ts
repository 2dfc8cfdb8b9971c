import type { ColdSeries } from "./cold/run.js";
import { coldVerdicts } from "./cold/targets.js";
import type { ContendedSeries } from "./contended/run.js";
import { contendedVerdicts } from "./contended/targets.js";
import type { Environment } from "./environment.js";
import type { FaultSeries } from "./faults/run.js";
import { faultVerdicts } from "./faults/targets.js";
import type { HeldSeries } from "./held/run.js";
import { heldVerdicts } from "./held/targets.js";
import type { Plan } from "./plan.js";
import type { Series } from "./uncontended/run.js";
import { uncontendedVerdicts } from "./uncontended/targets.js";
import type { Verdict } from "./verdict.js";
import type { WaitedSeries } from "./waited/run.js";
import { waitedVerdicts } from "./waited/targets.js";

/** What one run measured, as it is in `latest.json`. A part that was not measured has no series. */
export interface Results {
  readonly date: string;
  readonly environment: Environment;
  readonly plan: Plan;
  readonly uncontended: readonly Series[];
  readonly contended: readonly ContendedSeries[];
  readonly faults: readonly FaultSeries[];
  readonly held: readonly HeldSeries[];
  readonly waited: readonly WaitedSeries[];
  readonly cold: readonly ColdSeries[];
}

/** Every figure that has a target. */
export function verdictsOf({
  uncontended,
  contended,
  faults,
  held,
  waited,
  cold,
}: Results): Verdict[] {
  return [
    ...uncontendedVerdicts(uncontended),
    ...contendedVerdicts(contended),
    ...faultVerdicts(faults),
    ...heldVerdicts(held),
    ...waitedVerdicts(waited),
    ...coldVerdicts(cold),
  ];
}
