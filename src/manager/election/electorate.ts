import type { Acquirer } from "../acquirer.js";
import type { WaitSettings } from "../../protocol/next-move.js";
import type { AttemptFailure } from "../../protocol/attempt-failure.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ClosedError, type QuorateError } from "../../api/errors.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import { startedTrace } from "../../telemetry/acquire-trace.js";
import type { Electorate } from "./candidacy.js";
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
  const { context, names } = acquirer.nodes;
  const { keys, lease, wait, onError } = candidature;

  let isTroubled = false;
  const onSetback = (failure: AttemptFailure, error: () => QuorateError): void => {
    const wasTroubled = isTroubled;
    const isContended = failure.kind === "refused" || failure.kind === "split";
    isTroubled = !isContended && !failure.isContested && !failure.isOutrun;
    // Once per outage, and deferred, so that a listener that throws cannot interrupt the current operation.
    if (isTroubled && !wasTroubled && onError !== undefined) {
      queueMicrotask(() => onError(error()));
    }
  };

  return {
    unit: () => context.entropy.unit(),
    campaign: (delayMs, settle) => {
      if (acquirer.isClosed) {
        context.clock.defer(() => settle({ kind: "failed", error: new ClosedError(keys.name) }));
        return { abort: () => {} };
      }
      const trace = startedTrace(keys, wait.waitMs, { clock: context.clock, names });
      const wanted = { keys, settings: lease, wait, delayMs };
      const onFailure = (failure: AttemptFailure): void => {
        trace?.onSetback(failure);
        onSetback(failure, () => acquirer.failureError(failure, acquire, wanted));
      };
      const acquire = acquirer.start(wanted, undefined, onFailure, (outcome, { attemptCount }) => {
        if (outcome.kind === "granted") {
          isTroubled = false;
          acquirer.terms.add(outcome.lease);
          const term = new LeasedTerm(acquirer.lockOf(outcome.lease));
          trace?.tell(outcome, undefined, attemptCount);
          settle({ kind: "elected", term });
        } else {
          const error = acquirer.errorOf(outcome, acquire, wanted, undefined);
          trace?.tell(outcome, error, attemptCount);
          settle({ kind: "failed", error });
        }
      });
      return acquire;
    },
  };
}
