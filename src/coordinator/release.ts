import type { LockKind } from "../protocol/lock-kind.js";
import {
  newOperation,
  type OperationOf,
  type Proclaimed,
  type Vote,
} from "../protocol/operation.js";
import type { Waiter } from "../protocol/node-queue.js";
import { keyTtlMs, longerKeptMs, outwaitMs } from "../protocol/lease-times.js";
import { ALL_NODES, isRefusedByQuorum, tallyOf } from "../protocol/quorum.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { NOBODY, type VoteReceiver } from "./ports.js";
import type { ReleaseResult } from "./release-result.js";
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
  /** Its own place: where nodes still have its acquire, they must not execute it any more. */
  readonly place?: Waiter | undefined;
  /** How long the name stays closed afterwards, ms of the node's clock; undefined: not at all. */
  readonly keepMs?: number | undefined;
  /** What it has proclaimed last, if anything. */
  readonly proclaimed?: Proclaimed | undefined;
}

/**
 * A rollback is a release whose result nobody needs: to all nodes, after what was sent before. Resolves when a quorum
 * has answered or nothing more can come.
 *
 * @param said what the nodes said when it was asked for before, by node index, if it was; what they say now is added
 */
export function release(
  context: Context,
  released: Released,
  said?: (Vote | undefined)[],
): Promise<ReleaseResult> {
  const { settings, mayHold } = released;
  return new Promise((resolve) => {
    const round = new Round(
      context,
      settings.nodeTimeoutMs,
      { onVerdict: (decided) => resolve(releaseResult(decided)) },
      said && { votes: said },
    );
    const receiver: VoteReceiver | undefined = said && {
      onVote: (index, vote) => {
        if (vote.kind !== "fault") said[index] ??= vote;
        round.onVote(index, said[index] ?? vote);
      },
    };
    round.send(releaseOperation(context, released), context.clock.now(), mayHold, receiver);
    // It may be decided by what was said before.
    if (said !== undefined) round.judge();
  });
}

/**
 * A release that can be asked for again where too few nodes have answered.
 *
 * What a node said first counts, however late: one that deleted our key finds none when it is asked again.
 */
export class Release {
  readonly #context: Context;
  #released: Released;
  /** By node index; undefined where there were only faults. */
  readonly #said: (Vote | undefined)[] = [];

  constructor(context: Context, released: Released) {
    this.#context = context;
    this.#released = released;
  }

  /** One round. Resolves when a quorum has answered, in this or an earlier one, or nothing more can come. */
  ask(): Promise<ReleaseResult> {
    const result = release(this.#context, this.#released, this.#said);
    // A node that is down is sent one release when it is back, however often it is asked.
    this.#released = { ...this.#released, mayHold: 0 };
    return result;
  }
}

/** The result of a release whose round is decided. */
function releaseResult({ verdict, votes }: Round): ReleaseResult {
  if (verdict === "won") return "released";
  return isRefusedByQuorum(tallyOf(votes)) ? "expired" : "partial";
}

/**
 * A release whose outcome nobody waits for.
 *
 * @param to bit mask of the nodes that get it
 */
export function rollback(context: Context, released: Released, to = ALL_NODES): void {
  const { nodes } = context;
  const operation = releaseOperation(context, released);
  for (let index = 0; index < nodes.length; index++) {
    const bit = 1 << index;
    if (to & bit) nodes[index]?.submit(operation, NOBODY, (released.mayHold & bit) !== 0);
  }
}

export function releaseOperation(
  { proposals }: Pick<Context, "proposals">,
  released: Released,
): OperationOf<"release"> {
  const { keys, ownerId, settings, token, place, keepMs } = released;
  // Where the name stays closed, nobody is put into the queue.
  const next = keepMs === undefined ? released.waiter : undefined;
  const waiter = next ?? (place && { ...place, ticket: 0, deferred: undefined });
  const lifeMs = released.lifeMs ?? keyTtlMs(settings);
  return newOperation("release", {
    keys,
    ownerId,
    ttlMs: outwaitMs(lifeMs, settings.driftFactor),
    keptMs: longerKeptMs(settings, lifeMs),
    fence: token,
    sendBeforeMs: Number.POSITIVE_INFINITY,
    waiter,
    keepMs,
    proclaimed: released.proclaimed && { ...released.proclaimed, value: "" },
    proposal: settings.fencing ? proposals.ofRelease : undefined,
  });
}
