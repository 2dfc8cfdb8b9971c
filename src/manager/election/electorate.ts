import type { Acquirer } from "../acquirer.js";
import type { WaitSettings } from "../../protocol/next-move.js";
import { isContention, type AttemptFailure } from "../../protocol/attempt-failure.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ClosedError, type QuorateError } from "../../api/errors.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import { LeasedLock } from "../lock.js";
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
  const { nodes } = acquirer;
  const { keys, lease, wait, onError } = candidature;
  acquirer.terms.add(keys);

  let isTroubled = false;
  const onSetback = (failure: AttemptFailure, error: () => QuorateError): void => {
    const wasTroubled = isTroubled;
    isTroubled = !isContention(failure);
    // Once per outage, and deferred, so that a listener that throws cannot interrupt the current operation.
    if (isTroubled && !wasTroubled && onError !== undefined) {
      queueMicrotask(() => onError(error()));
    }
  };

  return {
    unit: () => nodes.context.entropy.unit(),
    campaign: (delayMs, settle) => {
      const cancel = new AbortController();
      const wanted = { keys, settings: lease, wait, delayMs };
      void acquirer.ask(wanted, { signal: cancel.signal, reentrant: false, onSetback }).then(
        (granted) => {
          isTroubled = false;
          settle({ kind: "elected", term: new LeasedTerm(new LeasedLock(granted, nodes)) });
        },
        (error: unknown) => settle({ kind: "failed", error }),
      );
      return { abort: () => cancel.abort(new ClosedError(keys.name)) };
    },
  };
}
