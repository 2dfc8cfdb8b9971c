import { quorumFreeInMs } from "../protocol/backoff.js";
import { sealState } from "../protocol/fencing.js";
import type { Run } from "../protocol/hand-over-run.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type {
  Operation,
  OperationKind,
  PreviousOwner,
  Vote,
  Waiter,
} from "../protocol/operation.js";
import { keyTtlMs } from "../protocol/delays.js";
import { isValid, LOSS_LEAD_MS, validUntilMs } from "../protocol/validity.js";
import { isRefusedByQuorum } from "../protocol/verdict.js";
import { NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import type { Context, LeaseSettings, Votes } from "./context.js";
import type { HandOver } from "./hand-over.js";
import { Lease } from "./lease.js";
import { MAX_NODE_COUNT, nodesThatMayHold } from "./may-hold.js";
import type { VoteReceiver } from "./ports.js";
import { rollback } from "./release.js";
import { Round, type RoundListener } from "./round.js";
import { Sealing, type SealingListener } from "./sealing.js";

/** How an attempt failed. It has been rolled back on all nodes. */
export interface AttemptFailure {
  /**
   * - `refused`: nodes that hold another owner's key made a quorum impossible
   * - `unreachable`: faults did
   * - `exhausted`: a quorum granted, but no usable validity was left, perhaps not even a key of ours
   * - `queued`: it was not admitted before its time was over, and nothing was sent
   */
  readonly kind: "refused" | "unreachable" | "exhausted" | "queued";
  readonly votes: Votes;
  /** When a quorum can be free by expiry alone, ms from now; Infinity if unknown. */
  readonly quorumFreeInMs: number;
  /** A quorum had granted it, but others had higher fences before it could seal its token. */
  readonly isUnsealed?: boolean;
}

export type AttemptOutcome = { readonly kind: "granted"; readonly lease: Lease } | AttemptFailure;

const NOT_THERE: Vote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };

const ALL_NODES = (1 << MAX_NODE_COUNT) - 1;

/** Who is told how an attempt ended. Once; never after {@link Attempt.abort}. */
export interface AttemptListener {
  onOutcome(outcome: AttemptOutcome): void;
}

/**
 * One acquire round, then its sealing or its rollback, under an ownerId of its own.
 *
 * A fresh ownerId for every attempt: with one for all, a delayed rollback of this attempt would
 * delete the key of the next.
 */
export class Attempt implements RoundListener, SealingListener {
  readonly #context: Context;
  readonly #keys: LockKind;
  /** By which the nodes are asked for it. */
  readonly #asked: LockKind;
  readonly #settings: LeaseSettings;
  readonly #listener: AttemptListener;
  readonly #mode: AcquireMode;
  readonly #ownerId: string;
  readonly #firstSendMs: number;
  readonly #round: Round;
  #sealing: Sealing | undefined;
  #lease: Lease | undefined;
  #isOver = false;
  #isRolledBack = false;

  /** @param nowMs the lease clock, read before the attempt enters any queue: it is the first send */
  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    nowMs: number,
    listener: AttemptListener,
    mode: AcquireMode = NEWCOMER,
  ) {
    const { clock, entropy, nodes, schedule } = context;
    this.#context = context;
    this.#keys = keys;
    this.#asked = (mode.as === "joiner" && keys.joinOnly?.()) || keys;
    this.#settings = settings;
    this.#listener = listener;
    this.#mode = mode;
    this.#ownerId = settings.label === "" ? entropy.id() : `${entropy.id()}:${settings.label}`;
    this.#firstSendMs = nowMs;
    this.#round = new Round(nodes.length, schedule, settings.nodeTimeoutMs, this);
    const proposal = settings.fencing ? context.proposals.current : undefined;
    const operation = this.#operation("acquire", proposal, nowMs);
    if (mode.as === "handOver") this.#receive(operation, mode.from);
    else if (mode.as === "takeOver") this.#takeOver(operation, mode.previousId);
    else this.#round.send(nodes, operation, 0, nowMs);
  }

  #receive(operation: Operation, handOver: HandOver): void {
    this.#sendFor(operation, handOver.previous, (index, vote) => {
      // First, so that what the node has not let go is released before anything else is sent.
      handOver.onVote(index, vote);
      this.#round.onVote(index, vote);
    });
  }

  /** Only a node where the key was still the other's proves that nobody came between. */
  #takeOver(operation: Operation, ownerId: string): void {
    this.#sendFor(operation, { ownerId, token: undefined }, (index, vote) => {
      const isUnproven = vote.kind === "granted" && vote.isHandedOver !== true;
      this.#round.onVote(index, isUnproven ? NOT_THERE : vote);
    });
  }

  #sendFor(operation: Operation, previous: PreviousOwner, onVote: VoteReceiver["onVote"]): void {
    const { nodes } = this.#context;
    this.#round.send(nodes, { ...operation, previous }, 0, this.#firstSendMs, { onVote });
  }

  /** Gives up: rolls back and never settles. Without effect once settled. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#round.abandon();
    this.#rollback();
  }

  /** Called by the acquire round: the others should not wait until we know why it is lost. */
  onLost(): void {
    if (!this.#isOver) this.#rollback();
  }

  /** Called by the acquire round. */
  onVerdict(round: Round): void {
    if (round.verdict === "lost") {
      this.#fail(isRefusedByQuorum(round) ? "refused" : "unreachable", round.votes);
    } else if (this.#settings.fencing) {
      const { nodes, schedule } = this.#context;
      this.#sealing = new Sealing(nodes.length, round.votes, this);
      this.#sealing.start(schedule, this.#context.clock, this.#settings.nodeTimeoutMs);
    } else {
      this.#grant(undefined, grantedNodes(round.votes));
    }
  }

  /** Called by the acquire round. */
  onStraggler(index: number, vote: Vote): void {
    const lease = this.#lease;
    if (lease === undefined) {
      if (!this.#isOver) this.#sealing?.onAcquireVote(index, vote);
      return;
    }
    const token = lease.fencingToken;
    const hasFence = vote.kind === "granted" && token !== undefined;
    if (!hasFence || sealState(vote.fence, token) === "sealed") lease.onVote(index, vote);
  }

  /** Called by the sealing. */
  askSeal(index: number, token: number): void {
    const operation = this.#operation("seal", token, this.#context.clock.now());
    const receiver = { onVote: (at: number, vote: Vote) => this.#onSealVote(at, token, vote) };
    this.#context.nodes[index]?.submit(operation, receiver, false);
  }

  /** Called by the sealing. */
  onSealed(sealing: Sealing): void {
    if (sealing.verdict === "won") this.#grant(sealing.token, sealing.sealed);
    else if (!isRefusedByQuorum(sealing)) this.#fail("unreachable", sealing.votes, true);
    else {
      // Whoever has the name now is not why it was not had, if what was granted had run out by then.
      const isInTime = this.#usableUntilMs(this.#context.clock.now()) !== undefined;
      this.#fail(isInTime ? "refused" : "exhausted", sealing.votes, true);
    }
  }

  #onSealVote(index: number, token: number, vote: Vote): void {
    this.#sealing?.onSealVote(index, token, vote);
    if (vote.kind === "granted") this.#lease?.onComplete(index);
  }

  /** @param complete bit mask of the nodes that hold our key with the token stored */
  #grant(token: number | undefined, complete: number): void {
    if (this.#isOver) return;
    const nowMs = this.#context.clock.now();
    const validUntil = this.#usableUntilMs(nowMs);
    if (validUntil === undefined) {
      this.#fail("exhausted", this.#round.votes);
      return;
    }
    this.#isOver = true;
    this.#lease = new Lease(this.#context, {
      keys: this.#keys,
      settings: this.#settings,
      ownerId: this.#ownerId,
      fencingToken: token,
      firstSendMs: this.#firstSendMs,
      grantedAtMs: nowMs,
      validUntilMs: validUntil,
      mayHold: this.#mayHold,
      complete,
      run: this.#run(nowMs),
    });
    this.#listener.onOutcome({ kind: "granted", lease: this.#lease });
  }

  /** Until when a grant is valid; undefined if now no usable validity is left. */
  #usableUntilMs(nowMs: number): number | undefined {
    const { ttlMs, driftFactor, minValidityMs } = this.#settings;
    const validUntil = validUntilMs(this.#firstSendMs, ttlMs, driftFactor);
    // With less left its loss would be told at once, and by a timer perhaps too late.
    const neededMs = Math.max(minValidityMs, LOSS_LEAD_MS);
    if (!isValid(nowMs, validUntil, neededMs)) return undefined;
    return validUntil;
  }

  /** While nobody else waits a run begins anew with every grant. */
  #run(nowMs: number): Run {
    const handOver = this.#handOver;
    const handOverCount = handOver === undefined ? 0 : 1;
    const isWaitedFor = this.#round.votes.some(
      (vote) => vote?.kind === "granted" && vote.isWaitedFor === true,
    );
    const before = handOver?.run;
    if (isWaitedFor && before?.isWaitedFor === true) {
      return { ...before, handOverCount: before.handOverCount + 1 };
    }
    const { lastTicket } = this.#context.waitQueues;
    return { startedMs: nowMs, isWaitedFor, lastTicket, handOverCount };
  }

  #fail(kind: AttemptFailure["kind"], votes: Votes, isUnsealed = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rollback();
    const freeInMs = quorumFreeInMs(votes.map(blockedMs));
    this.#listener.onOutcome({ kind, votes, quorumFreeInMs: freeInMs, isUnsealed });
  }

  /** To all nodes, also those that refused or timed out, behind the acquire on its connection. */
  #rollback(): void {
    if (this.#isRolledBack) return;
    this.#isRolledBack = true;
    this.#sealing?.stop();
    this.#handOver?.letGo();
    rollback(this.#context, {
      keys: this.#asked,
      ownerId: this.#ownerId,
      settings: this.#settings,
      token: this.#sealing?.token,
      mayHold: this.#mayHold,
      waiter: this.#mode.as !== "takeOver" && this.#keys.queue.rejoins ? this.#waiter : undefined,
    });
  }

  get #waiter(): Waiter | undefined {
    return "waiter" in this.#mode ? this.#mode.waiter : undefined;
  }

  get #handOver(): HandOver | undefined {
    return this.#mode.as === "handOver" ? this.#mode.from : undefined;
  }

  /** The nodes that may hold a key of ours; of a take-over also those that had none to take over. */
  get #mayHold(): number {
    return this.#mode.as === "takeOver" ? ALL_NODES : nodesThatMayHold(this.#round.votes);
  }

  #operation(kind: OperationKind, fence: number | undefined, nowMs: number): Operation {
    const isAcquire = kind === "acquire";
    return {
      kind,
      keys: this.#asked,
      ownerId: this.#ownerId,
      ttlMs: keyTtlMs(this.#settings),
      fence,
      sendBeforeMs: nowMs + this.#settings.nodeTimeoutMs,
      waiter: isAcquire ? this.#waiter : undefined,
      ...(isAcquire && this.#mode.as === "preempt" && { preempts: true }),
      wire: undefined,
    };
  }
}

function grantedNodes(votes: Votes): number {
  let mask = 0;
  votes.forEach((vote, index) => {
    if (vote?.kind === "granted") mask |= 1 << index;
  });
  return mask;
}

/** How long a node will go on refusing by itself, as far as its vote tells. */
function blockedMs(vote: Vote | undefined): number {
  if (vote?.kind === "granted") return 0;
  return vote?.kind === "refused" && vote.reason === "held"
    ? vote.remainingMs
    : Number.POSITIVE_INFINITY;
}
