import type { LockKind } from "../protocol/lock-kind.js";
import type { Operation } from "../protocol/operation.js";
import type { Waiter } from "../protocol/waiter.js";
import { keyTtlMs, longerKeptMs } from "../protocol/delays.js";
import { outwaitMs } from "../protocol/validity.js";
import { isRefusedByQuorum } from "../protocol/verdict.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { ALL_NODES } from "./node-sets.js";
import { NOBODY } from "./ports.js";
import type { ReleaseResult } from "./release-result.js";
import { watched } from "./round-watch.js";
import { Round } from "./round.js";

/** The owner whose keys are deleted. */
export interface Released {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly settings: LeaseSettings;
  /** Lifts lower fences on every node that it reaches; undefined if there was no token. */
  readonly token?: number | undefined;
  /** Bit mask of the nodes that may hold a key, see `NodePort.submit`. */
  readonly mayHold: number;
  /** The longest life that a key of it was given, ms; undefined: that of its settings. */
  readonly lifeMs?: number;
  /** The waiter of this process that enters the name's queue before the next waiter is notified. */
  readonly waiter?: Waiter | undefined;
  /** How long the name stays closed afterwards, ms of the node's clock; undefined: not at all. */
  readonly keepMs?: number | undefined;
}

/**
 * A rollback is a release whose result nobody needs: to all nodes, after what was sent before. Resolves when a quorum
 * has answered or nothing more can come.
 */
export function release(context: Context, released: Released): Promise<ReleaseResult> {
  const { nodes, clock, schedule } = context;
  const { settings, mayHold } = released;
  return new Promise((resolve) => {
    const round = new Round(nodes.length, schedule, settings.nodeTimeoutMs, {
      onVerdict: () => resolve(releaseResult(round)),
    });
    const operation = releaseOperation(released);
    const receiver = watched(context, operation, settings, round);
    round.send(nodes, operation, mayHold, clock.now(), receiver);
  });
}

/** The result of the votes on a release. */
export function releaseResult(round: Round): ReleaseResult {
  if (round.verdict === "won") return "released";
  return isRefusedByQuorum(round) ? "expired" : "partial";
}

/**
 * A release whose outcome nobody waits for.
 *
 * @param to bit mask of the nodes that get it
 */
export function rollback({ nodes }: Context, released: Released, to = ALL_NODES): void {
  const operation = releaseOperation(released);
  for (let index = 0; index < nodes.length; index++) {
    const bit = 1 << index;
    if (to & bit) nodes[index]?.submit(operation, NOBODY, (released.mayHold & bit) !== 0);
  }
}

export function releaseOperation(released: Released): Operation {
  const { keys, ownerId, settings, token, waiter, keepMs } = released;
  const lifeMs = released.lifeMs ?? keyTtlMs(settings);
  const operation: Operation = {
    kind: "release",
    keys,
    ownerId,
    ttlMs: outwaitMs(lifeMs, settings.driftFactor),
    keptMs: longerKeptMs(settings, lifeMs),
    fence: token,
    sendBeforeMs: Number.POSITIVE_INFINITY,
    waiter,
    wire: undefined,
  };
  return keepMs === undefined ? operation : { ...operation, waiter: undefined, keepMs };
}
