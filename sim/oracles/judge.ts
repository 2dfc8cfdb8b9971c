import { checkAdoptions } from "./adoption.js";
import { checkRobbed } from "./robbed.js";
import { checkEnded } from "./ended.js";
import { checkLockDelay, checkMinimumHold } from "./delays.js";
import { checkErrors } from "./errors.js";
import { checkExclusion } from "./exclusion.js";
import { checkExtensions } from "./extensions.js";
import { checkGrantability } from "./grantability.js";
import { checkHandles } from "./handles.js";
import {
  ORACLE_IDS,
  type History,
  type OracleId,
  type Violate,
  type Violation,
} from "./history.js";
import { checkNodesClean, checkProcessClean } from "./leftovers.js";
import { checkReadiness, checkReports } from "./looks.js";
import { checkLateWakes } from "./late-wakes.js";
import { checkLeftBehind } from "./left-behind.js";
import { checkNews } from "./news.js";
import { checkLoss } from "./loss.js";
import { checkEntries, checkHolds } from "./holds.js";
import { checkObserved } from "./observed.js";
import { checkOpenings } from "./openings.js";
import { checkOrder } from "./order.js";
import { checkOwnership } from "./ownership.js";
import { checkPace } from "./pace.js";
import { checkPermitNumbers } from "./permit-numbers.js";
import { checkPermitOrder } from "./permit-order.js";
import { checkPermits } from "./permits.js";
import { checkPlaces } from "./places.js";
import { checkPreference } from "./preference.js";
import { checkSizes } from "./sizes.js";
import { checkProgress } from "./progress.js";
import { checkPromptAsks } from "./prompt-asks.js";
import { checkQuarantine } from "./quarantine.js";
import { checkQueueEnds } from "./queue-ends.js";
import { checkReasons } from "./reasons.js";
import { checkReleases } from "./releases.js";
import { checkSets } from "./sets.js";
import { checkSettling } from "./settling.js";
import { checkSplits } from "./splits.js";
import { checkFencedStore, checkUnfencedStore } from "./stores.js";
import { checkTokens } from "./tokens.js";
import { checkValidity } from "./validity.js";
import { checkVotes } from "./votes.js";
import { checkWarnings } from "./warnings.js";

/** Judges one property over a whole history. */
export type Oracle = (history: History, violate: Violate) => void;

/** Every oracle by its name. */
export const ORACLES: Readonly<Record<OracleId, Oracle>> = {
  S1: checkExclusion,
  S2: checkGrantability,
  S3: checkValidity,
  S4: checkOwnership,
  S5: checkVotes,
  S6: checkLoss,
  K1: checkPermits,
  K2: checkPermitOrder,
  K3: checkPermitNumbers,
  K4: checkSizes,
  F1: checkTokens,
  F2: checkFencedStore,
  F3: checkUnfencedStore,
  L1: checkSettling,
  L2: checkProgress,
  L3: checkNodesClean,
  L4: checkProcessClean,
  L5: checkPace,
  L6: checkSplits,
  L7: checkExtensions,
  L8: checkQueueEnds,
  R1: checkReleases,
  Q1: checkQuarantine,
  E1: checkReasons,
  E2: checkErrors,
  W1: checkOrder,
  W2: checkPreference,
  W3: checkPlaces,
  W4: checkLeftBehind,
  W5: checkOpenings,
  W6: checkPromptAsks,
  W7: checkLateWakes,
  W8: checkSets,
  H1: checkAdoptions,
  H2: checkEnded,
  H3: checkRobbed,
  H4: checkNews,
  D1: checkLockDelay,
  D2: checkMinimumHold,
  J1: checkHandles,
  O1: checkHolds,
  O2: checkEntries,
  I1: checkReports,
  I2: checkReadiness,
  I3: checkWarnings,
  I4: checkObserved,
};

/** The violations that the given oracles (all, by default) find in a history, in order of time. */
export function judge(history: History, ids: readonly OracleId[] = ORACLE_IDS): Violation[] {
  const violations: Violation[] = [];
  for (const id of ids) {
    ORACLES[id](history, (atUs, message) => void violations.push({ id, atUs, message }));
  }
  return violations.toSorted((a, b) => a.atUs - b.atUs);
}
