import type { ReadyOptions } from "../api/locks.js";
import { OPTIONS } from "../options/table.js";
import { boolean, checkKnown, number } from "../runtime/validate.js";
import type { Clock, Timer } from "../coordinator/ports.js";
import { ClosedError, NotReadyError } from "../api/errors.js";
import { MisconfiguredError } from "../api/node-errors.js";
import type { NodeStatus } from "../api/events.js";
import { whenAborted } from "../runtime/when-aborted.js";
import { neededCount, readiness, willBeReady, type NodeReadiness } from "../protocol/quorum.js";

/** Default limit of {@link LockManager.ready} for nodes that may never vote, ms. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** After that: how often it checks whether the missing nodes will still vote, ms. */
const LOOK_AGAIN_MS = 250;

/** The nodes' current states. */
interface Nodes {
  readonly nodes: readonly NodeStatus[];
}

/** Data that the states alone do not show. */
interface Behind {
  readonly clock: Clock;
  /** They are called when a state has changed. Any number of calls may wait. */
  readonly waiting: Set<() => void>;
  isClosed(): boolean;
  /** Of each node, in configured order. */
  readiness(): readonly NodeReadiness[];
}

/** Waits until enough nodes vote, enough of them cannot, the time is up, or it is cancelled. */
export async function untilReady(
  nodes: Nodes,
  behind: Behind,
  options: ReadyOptions,
): Promise<void> {
  checkKnown(options, ["signal", "all", "timeoutMs"]);
  const { signal, all = false, timeoutMs } = options;
  if (signal !== undefined) OPTIONS.signal.check("signal", signal).throwIfAborted();
  boolean("all", all);
  const limitMs = number("timeoutMs", timeoutMs ?? DEFAULT_TIMEOUT_MS, 0);
  const { clock } = behind;
  const startedMs = clock.steady();
  await new Promise<void>((resolve, reject) => {
    let isLate = false;
    let timer: Timer | undefined;
    const check = (): void => {
      const seen = nodes.nodes;
      const states = behind.readiness();
      const decision = readiness(states, all);
      if (behind.isClosed()) end(() => reject(new ClosedError()));
      else if (decision === "ready") end(resolve);
      else if (decision !== "wait") end(() => reject(new MisconfiguredError("", [], seen)));
      else if (isLate && (timeoutMs !== undefined || !willBeReady(states, all))) {
        const waitedMs = clock.steady() - startedMs;
        const count = neededCount(seen.length, all);
        end(() => reject(new NotReadyError(seen, count, waitedMs)));
      }
    };
    const onLate = (): void => {
      isLate = true;
      timer = clock.setTimer(LOOK_AGAIN_MS, onLate);
      check();
    };
    const end = (settle: () => void): void => {
      timer?.cancel();
      behind.waiting.delete(check);
      ignoreSignal?.();
      settle();
    };
    behind.waiting.add(check);
    const ignoreSignal =
      signal && whenAborted(signal, () => end(() => reject(signal.reason as Error)));
    if (limitMs < Number.POSITIVE_INFINITY) timer = clock.setTimer(limitMs, onLate);
    check();
  });
}
