import { LossNews } from "../../src/coordinator/loss-news.js";
import { Keepers } from "../../src/coordinator/keepers.js";
import { Proposals } from "../../src/coordinator/proposals.js";
import type { WaitSettings } from "../../src/protocol/next-move.js";
import { Acquire, type AcquireOutcome } from "../../src/coordinator/acquire.js";
import { Attempt, type AttemptOutcome } from "../../src/coordinator/attempt.js";
import type { Context } from "../../src/coordinator/context.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import type { LossReason } from "../../src/coordinator/loss.js";
import type { Lease } from "../../src/coordinator/lease.js";
import { Admission } from "../../src/coordinator/admission.js";
import { WaitQueues } from "../../src/coordinator/wait-queues.js";
import type { Clock, InboxPort } from "../../src/coordinator/ports.js";
import { renewalsOn } from "../../src/coordinator/admission.js";
import { Schedule } from "../../src/coordinator/schedule.js";
import type { OperationKind, Vote } from "../../src/protocol/operation.js";
import { ManualClock, settle } from "./manual-clock.js";
import { ScriptedNode } from "./scripted-node.js";
import { seededEntropy } from "./seeded-entropy.js";
import { granted } from "./votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";

export const KEYS = keysOf("lock:", "invoice");

/** An inbox that messages of the nodes come to. */
export const heardInbox = () => ({
  id: "i".padEnd(22, "_"),
  isHeard: true,
  listen: () => {},
});

/** Validity of these: 1000 - (10 + 2) = 988 ms. */
export function leaseSettings(over: Partial<LeaseSettings> = {}): LeaseSettings {
  return {
    ttlMs: 1_000,
    nodeTimeoutMs: 50,
    driftFactor: 0.01,
    maxHoldMs: Number.POSITIVE_INFINITY,
    renew: true,
    fencing: true,
    label: "",
    ...over,
  };
}

/** How an acquire ended, and what it had cost by then. */
export type Acquired = AcquireOutcome & {
  readonly attemptCount: number;
  readonly waitedMs: number;
};

/** A coordinator over scripted nodes and a manual clock, with all it reports. */
export class CoordinatorBench {
  readonly clock: ManualClock;
  readonly nodes: ScriptedNode[];
  readonly context: Context;
  readonly lost: LossReason[] = [];
  /** Of locks that were renewed too late: since when that was due, and what was left of them, ms. */
  readonly late: { readonly lateMs: number; readonly leftMs: number }[] = [];
  hearsLate = true;
  grantedCount = 0;
  releasedCount = 0;

  /**
   * @param window how many attempts may be under way at once. By default so many that all begin from within
   *   the call, and not only when the clock is flushed
   */
  constructor(nodeCount = 3, clock = new ManualClock(), inbox?: InboxPort, window?: number) {
    this.clock = clock;
    this.nodes = Array.from(
      { length: nodeCount },
      (_, index) => new ScriptedNode(index, (callback) => clock.defer(callback)),
    );
    const schedule = new Schedule(clock);
    this.context = {
      nodes: this.nodes,
      waitQueues: new WaitQueues(this.nodes, clock, () => clock.wallUs(), schedule, inbox),
      clock,
      entropy: seededEntropy(),
      schedule,
      renewals: renewalsOn(clock),
      admission:
        window === undefined
          ? new Admission(withoutDelay(clock))
          : new Admission(clock, { min: window, start: window, max: window }),
      proposals: new Proposals(this.clock),
      keepers: new Keepers(),
      lossNews: new LossNews(clock, inbox),
      observer: {
        onGranted: () => this.grantedCount++,
        onLost: (_, reason) => this.lost.push(reason),
        onExtended: () => {},
        onReleased: () => this.releasedCount++,
        hearsLate: () => this.hearsLate,
        onLate: ({ validUntilMs }, lateMs) =>
          this.late.push({ lateMs, leftMs: validUntilMs - clock.now() }),
      },
    };
  }

  /** Until then every node says that names are held, when a place is refreshed. */
  blockFor(ms: number): void {
    const freeAtMs = this.clock.now() + ms;
    for (const node of this.nodes) node.look = () => Math.max(0, freeAtMs - this.clock.now());
  }

  /** Answers the last operation of the kind, node by node; undefined leaves a node silent. */
  answer(kind: OperationKind, votes: readonly (Vote | undefined)[]): void {
    votes.forEach((vote, index) => {
      if (vote !== undefined) this.nodes[index]?.answer(kind, vote);
    });
  }

  /** How many operations of the kind each node was asked for. */
  counts(kind: OperationKind): number[] {
    return this.nodes.map((node) => node.all(kind).length);
  }

  /** An attempt that begins when the burst of input ends. */
  enter(over: Partial<LeaseSettings> = {}): { attempt: Attempt; outcomes: AttemptOutcome[] } {
    const outcomes: AttemptOutcome[] = [];
    const settings = leaseSettings(over);
    const attempt = new Attempt(
      this.context,
      { keys: KEYS, settings },
      { onOutcome: (outcome) => outcomes.push(outcome) },
    );
    this.context.admission.enter(attempt, "plain");
    return { attempt, outcomes };
  }

  /** An attempt that has begun. */
  attempt(over: Partial<LeaseSettings> = {}): { attempt: Attempt; outcomes: AttemptOutcome[] } {
    const entered = this.enter(over);
    this.clock.flush();
    return entered;
  }

  /** A lock that was granted in no time, by all nodes unless told otherwise. */
  lease(
    over: Partial<LeaseSettings> = {},
    votes: readonly (Vote | undefined)[] = this.nodes.map(() => granted(7)),
  ): Lease {
    const { outcomes } = this.attempt(over);
    this.answer("acquire", votes);
    const outcome = outcomes[0];
    if (outcome?.kind !== "granted") throw new Error(`not granted but ${outcome?.kind}`);
    return outcome.lease;
  }

  acquire(
    over: Partial<LeaseSettings> = {},
    wait: Partial<WaitSettings> = {},
    keys: LockKind = KEYS,
  ): { pendingAcquire: Acquire; abort: () => void; outcomes: Acquired[] } {
    const outcomes: Acquired[] = [];
    const settings = { waitMs: 0, minDelayMs: 10, maxDelayMs: 250, fair: false, ...wait };
    const wanted = { keys, settings: leaseSettings(over), wait: settings };
    const pendingAcquire: Acquire = new Acquire(this.context, wanted, (outcome) => {
      const { attemptCount, waitedMs } = pendingAcquire;
      outcomes.push({ ...outcome, attemptCount, waitedMs });
    });
    pendingAcquire.begin();
    return { pendingAcquire, abort: () => pendingAcquire.abort(), outcomes };
  }
}

/** The same clock, but what is deferred is called at once. */
function withoutDelay(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    wallUs: () => clock.wallUs(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    defer: (callback) => callback(),
    detached: (run) => run(),
  };
}

/** What a promise came to, or `pending`, without any time passing. */
export async function stateOf<T>(promise: Promise<T>): Promise<T | "pending"> {
  let state: T | "pending" = "pending";
  void promise.then((value) => {
    state = value;
  });
  await settle();
  return state;
}

/** What a lock needs of the three nodes. @param recordedMs the longest ttl that they have on record */
export function nodesOfLock({ context }: CoordinatorBench, recordedMs?: number) {
  return { names: ["a:1", "b:1", "c:1"], context, recordedTtlMs: () => recordedMs };
}
