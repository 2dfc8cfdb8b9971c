import type { EventEmitter } from "node:events";
import { boolean, checkKnown, number } from "./validate.js";
import type { Clock, Timer } from "./coordinator/ports.js";
import { ClosedError, NotReadyError } from "./errors.js";
import { MisconfiguredError } from "./node-errors.js";
import type { LockManagerEvents, NodeStatus } from "./events.js";
import { quorumSize } from "./protocol/verdict.js";

/** How long {@link LockManager.ready} waits by default for what may never come, ms. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** How often it looks after that whether what it waits for is still to come, ms. */
const LOOK_AGAIN_MS = 250;

/** Nodes as they look now, with an event for every change. */
interface Nodes extends EventEmitter<LockManagerEvents> {
  readonly nodes: readonly NodeStatus[];
}

/** What is not to be seen of them. */
interface Behind {
  readonly clock: Clock;
  isClosed(): boolean;
  /** Whether the node will vote without anybody's doing: its quarantine ends by itself. */
  isSettling(index: number): boolean;
}

/** Options of {@link LockManager.ready}. */
export interface ReadyOptions {
  /** Calls the wait off. Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Waits for every node: for tests that are about to take some away.
   * @defaultValue false: a quorum is enough to lock
   */
  readonly all?: boolean | undefined;
  /**
   * Longest wait, ms, after which it rejects with a {@link NotReadyError}; Infinity for no limit.
   * @defaultValue 10,000, or longer if the nodes that are missing are only in quarantine, which ends by
   *   itself after `maxTtlMs` at the latest
   */
  readonly timeoutMs?: number | undefined;
}

/** Waits until enough nodes vote, one is found to be misconfigured, it takes too long, or is called off. */
export async function untilReady(
  nodes: Nodes,
  behind: Behind,
  options: ReadyOptions,
): Promise<void> {
  checkKnown(options, ["signal", "all", "timeoutMs"]);
  const { signal, all = false, timeoutMs } = options;
  signal?.throwIfAborted();
  const count = nodes.nodes.length;
  const neededCount = boolean("all", all) ? count : quorumSize(count);
  const limitMs = number("timeoutMs", timeoutMs ?? DEFAULT_TIMEOUT_MS, 0);
  const { clock } = behind;
  const startedMs = clock.steady();
  await new Promise<void>((resolve, reject) => {
    let isLate = false;
    let timer: Timer | undefined;
    const check = (): void => {
      const seen = nodes.nodes;
      const readyCount = seen.filter(({ state }) => state === "ready").length;
      if (behind.isClosed()) end(() => reject(new ClosedError()));
      else if (seen.some(isMisconfigured)) end(() => reject(new MisconfiguredError("", [], seen)));
      else if (readyCount >= neededCount) end(resolve);
      else if (isLate && (timeoutMs !== undefined || !mayCome(seen))) {
        const waitedMs = clock.steady() - startedMs;
        end(() => reject(new NotReadyError(seen, neededCount, waitedMs)));
      }
    };
    /** Whether enough nodes vote or will by themselves. */
    const mayCome = (seen: readonly NodeStatus[]): boolean =>
      seen.filter(({ state }, index) => state === "ready" || behind.isSettling(index)).length >=
      neededCount;
    const onLate = (): void => {
      isLate = true;
      timer = clock.setTimer(LOOK_AGAIN_MS, onLate);
      check();
    };
    const onAbort = (): void => end(() => reject(signal?.reason as Error));
    const end = (settle: () => void): void => {
      timer?.cancel();
      nodes.off("node", check);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    nodes.on("node", check);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (limitMs < Number.POSITIVE_INFINITY) timer = clock.setTimer(limitMs, onLate);
    check();
  });
}

function isMisconfigured({ state }: NodeStatus): boolean {
  return state === "misconfigured";
}
