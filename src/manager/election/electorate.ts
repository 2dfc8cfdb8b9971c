import type { Acquirer } from "../acquirer.js";
import type { AcquireOutcome } from "../../coordinator/acquire.js";
import type { WaitSettings } from "../../protocol/next-move.js";
import type { AttemptFailure } from "../../protocol/attempt-failure.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ClosedError, type QuorateError } from "../../api/errors.js";
import { LeasedLock } from "../lock.js";
import { errorOf } from "../outcome-error.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import { startedTrace } from "../../telemetry/acquire-trace.js";
import type { CampaignOutcome, Electorate } from "./candidacy.js";
import { LeasedTerm } from "./term.js";

export interface Candidature {
  readonly keys: LockKind;
  readonly lease: LeaseSettings;
  readonly wait: WaitSettings;
  /** Called when a campaign begins to fail for another reason than another leader's term. */
  readonly onError: ((error: QuorateError) => void) | undefined;
}

/** Elections of one name on the nodes of a lock manager. */
export function electorateOf(acquirer: Acquirer, candidature: Candidature): Electorate<LeasedTerm> {
  const { nodes } = acquirer;
  const { context, names: nodeNames } = nodes;
  const { keys, lease, wait, onError } = candidature;

  const outcomeOf = (outcome: AcquireOutcome): CampaignOutcome<LeasedTerm> => {
    if (outcome.kind === "granted") {
      acquirer.terms.add(outcome.lease);
      const lock = new LeasedLock(outcome.lease, nodeNames, context.clock);
      return { kind: "elected", term: new LeasedTerm(lock) };
    }
    const isAborted = outcome.kind === "aborted";
    return { kind: "failed", error: isAborted ? new ClosedError(keys.name) : error(outcome) };
  };
  const error = (failure: AttemptFailure): QuorateError =>
    errorOf(keys, failure, nodeNames, {
      waitMs: wait.waitMs,
      waitedMs: 0,
      attemptCount: 1,
      marginMs: nodes.marginMs(),
      recordedTtl: () => acquirer.recordedTtlOf(lease),
    });

  let isTroubled = false;
  const onSetback = (failure: AttemptFailure): void => {
    const wasTroubled = isTroubled;
    const isContended = failure.kind === "refused" || failure.kind === "split";
    isTroubled = !isContended && !failure.isContested && !failure.isOutrun;
    // Once per outage, and deferred, so that a listener that throws cannot interrupt the current operation.
    if (isTroubled && !wasTroubled && onError !== undefined) {
      queueMicrotask(() => onError(error(failure)));
    }
  };

  return {
    unit: () => context.entropy.unit(),
    campaign: (delayMs, settle) => {
      if (acquirer.isClosed) {
        context.clock.defer(() => settle(outcomeOf({ kind: "aborted" })));
        return { abort: () => {} };
      }
      const trace = startedTrace(keys, wait.waitMs, { clock: context.clock, names: nodeNames });
      const wanted = { keys, settings: lease, wait, delayMs };
      const onSetbackOf = (failure: AttemptFailure): void => {
        trace?.onSetback(failure);
        onSetback(failure);
      };
      return acquirer.start(wanted, undefined, onSetbackOf, (outcome, { attemptCount }) => {
        if (outcome.kind === "granted") isTroubled = false;
        const ended = outcomeOf(outcome);
        const why = ended.kind === "failed" ? ended.error : undefined;
        trace?.tell(outcome, why, attemptCount);
        settle(ended);
      });
    },
  };
}
