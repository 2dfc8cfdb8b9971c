import { runBudgetPart, type BudgetSeries } from "./budget/run.js";
import { coldSteps, runColdPart, type ColdSeries } from "./cold/run.js";
import { coldVerdicts } from "./cold/targets.js";
import { contendedSteps, runContendedPart, type ContendedSeries } from "./contended/run.js";
import { contendedVerdicts } from "./contended/targets.js";
import { faultsSteps, runFaultsPart, type FaultSeries } from "./faults/run.js";
import { faultVerdicts } from "./faults/targets.js";
import { featuresSteps, runFeaturesPart, type FeaturesSeries } from "./features/run.js";
import { featuresVerdicts } from "./features/targets.js";
import { heldSteps, runHeldPart, type HeldSeries } from "./held/run.js";
import { heldVerdicts } from "./held/targets.js";
import { observedSteps, runObservedPart, type ObservedSeries } from "./observed/run.js";
import { observedVerdicts } from "./observed/targets.js";
import type { Part } from "./part.js";
import type { PartName, Plans } from "./plan.js";
import { permitsSteps, runPermitsPart, type PermitsSeries } from "./permits/run.js";
import { permitsVerdicts } from "./permits/targets.js";
import { runServersPart, serversSteps, type ServerSeries } from "./servers/run.js";
import { runTakeoverPart, takeoverSteps, type TakeoverSeries } from "./takeover/run.js";
import { takeoverVerdicts } from "./takeover/targets.js";
import { runUncontendedPart, uncontendedSteps, type Series } from "./uncontended/run.js";
import { uncontendedVerdicts } from "./uncontended/targets.js";
import { runWaitedPart, waitedSteps, type WaitedSeries } from "./waited/run.js";
import { waitedVerdicts } from "./waited/targets.js";
import { runWidePart, wideSteps, type WideSeries } from "./wide/run.js";
import { wideVerdicts } from "./wide/targets.js";

/** The series of each part. */
export interface SeriesOf {
  readonly uncontended: Series;
  readonly budget: BudgetSeries;
  readonly contended: ContendedSeries;
  readonly held: HeldSeries;
  readonly waited: WaitedSeries;
  readonly permits: PermitsSeries;
  readonly observed: ObservedSeries;
  readonly features: FeaturesSeries;
  readonly takeover: TakeoverSeries;
  readonly cold: ColdSeries;
  readonly wide: WideSeries;
  readonly servers: ServerSeries;
  readonly faults: FaultSeries;
}

type Parts = { readonly [Name in PartName]: Part<Plans[Name], SeriesOf[Name]> };

export const PARTS: Parts = {
  uncontended: { steps: uncontendedSteps, run: runUncontendedPart, verdicts: uncontendedVerdicts },
  // It has no targets: it shows what the figures of the others are made of.
  budget: { steps: uncontendedSteps, run: runBudgetPart, verdicts: () => [] },
  contended: { steps: contendedSteps, run: runContendedPart, verdicts: contendedVerdicts },
  held: { steps: heldSteps, run: runHeldPart, verdicts: heldVerdicts },
  waited: { steps: waitedSteps, run: runWaitedPart, verdicts: waitedVerdicts },
  permits: { steps: permitsSteps, run: runPermitsPart, verdicts: permitsVerdicts },
  observed: { steps: observedSteps, run: runObservedPart, verdicts: observedVerdicts },
  features: { steps: featuresSteps, run: runFeaturesPart, verdicts: featuresVerdicts },
  takeover: { steps: takeoverSteps, run: runTakeoverPart, verdicts: takeoverVerdicts },
  cold: { steps: coldSteps, run: runColdPart, verdicts: coldVerdicts },
  wide: { steps: wideSteps, run: runWidePart, verdicts: wideVerdicts },
  // Its figures are shown next to those of the main servers, which the targets apply to.
  servers: { steps: serversSteps, run: runServersPart, verdicts: () => [] },
  faults: { steps: faultsSteps, run: runFaultsPart, verdicts: faultVerdicts },
};
