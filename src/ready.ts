import type { EventEmitter } from "node:events";
import { boolean } from "./checks.js";
import { ClosedError, MisconfiguredError, type NodeVote } from "./errors.js";
import type { LockManagerEvents, NodeStatus } from "./events.js";
import { quorumSize } from "./protocol/verdict.js";

/** Nodes as they look now, with an event for every change. */
interface Nodes extends EventEmitter<LockManagerEvents> {
  readonly nodes: readonly NodeStatus[];
}

/** Options of {@link LockManager.ready}. */
export interface ReadyOptions {
  /** Calls the wait off. Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Waits for every node, for as long as one is away: for tests that are about to take some away.
   * @defaultValue false: a quorum is enough to lock
   */
  readonly all?: boolean | undefined;
}

/** Waits until enough nodes are ready, one is found to be misconfigured, or it is called off. */
export async function untilReady(
  nodes: Nodes,
  isClosed: () => boolean,
  { signal, all = false }: ReadyOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const isForAll = boolean("all", all);
  await new Promise<void>((resolve, reject) => {
    const check = (): void => {
      const states = nodes.nodes.map(({ state }) => state);
      const readyCount = states.filter((state) => state === "ready").length;
      if (isClosed()) end(() => reject(new ClosedError()));
      else if (states.includes("misconfigured")) end(() => reject(misconfigured(nodes.nodes)));
      else if (readyCount >= (isForAll ? states.length : quorumSize(states.length))) end(resolve);
    };
    const onAbort = (): void => end(() => reject(signal?.reason as Error));
    const end = (settle: () => void): void => {
      nodes.off("node", check);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    nodes.on("node", check);
    signal?.addEventListener("abort", onAbort, { once: true });
    check();
  });
}

function misconfigured(nodes: readonly NodeStatus[]): MisconfiguredError {
  const votes = nodes.map(({ node, state, detail }): NodeVote => {
    if (state !== "misconfigured") return { node, vote: "none" };
    return { node, vote: "fault", fault: "misconfigured", message: detail };
  });
  return new MisconfiguredError("", votes);
}
