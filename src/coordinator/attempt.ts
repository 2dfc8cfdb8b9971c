import { quorumFreeInMs } from "../protocol/backoff.js";
import { nextProposal, sealState } from "../protocol/fencing.js";
import type { Run } from "../protocol/hand-over.js";
import type { NameKeys } from "../protocol/keys.js";
import { stolenKeys } from "../protocol/layout.js";
import type { Operation, OperationKind, Vote, Waiter } from "../protocol/operation.js";
import { keyTtlMs } from "../protocol/delays.js";
import { enteredKeys } from "../protocol/owned.js";
import { isValid, validUntilMs } from "../protocol/validity.js";
import { isRefusedByQuorum } from "../protocol/verdict.js";
import type { Context, LeaseSettings, Votes } from "./context.js";
import type { HandOver } from "./hand-over.js";
import { Holding } from "./holding.js";
import { MAX_NODE_COUNT, owedNodes } from "./owed.js";
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

export type AttemptOutcome =
  | { readonly kind: "granted"; readonly holding: Holding }
  | AttemptFailure;

/** How an attempt stands to others who want the name. */
export interface Place {
  /** In the nodes' queues from here on, unless it is granted. */
  readonly waiter: Waiter | undefined;
  /** The lock that it takes over from one of this process. With a waiter only. */
  readonly handOver?: HandOver;
  /** Who, elsewhere, has given the lock up for it to take over. With a waiter only. */
  readonly adopted?: string;
  /** It takes the name from whoever holds it. Without a waiter only: it waits for nobody. */
  readonly isTheft?: boolean;
}

const NO_PLACE: Place = { waiter: undefined };

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
  readonly #keys: NameKeys;
  readonly #settings: LeaseSettings;
  readonly #listener: AttemptListener;
  readonly #place: Place;
  readonly #ownerId: string;
  readonly #firstSendMs: number;
  readonly #round: Round;
  #sealing: Sealing | undefined;
  #holding: Holding | undefined;
  #isOver = false;
  #isRolledBack = false;

  /** @param nowMs the lease clock, read before the attempt enters any queue: it is the first send */
  constructor(
    context: Context,
    keys: NameKeys,
    settings: LeaseSettings,
    nowMs: number,
    listener: AttemptListener,
    place: Place = NO_PLACE,
  ) {
    const { clock, entropy, nodes, schedule } = context;
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#listener = listener;
    this.#place = place;
    this.#ownerId = settings.label === "" ? entropy.id() : `${entropy.id()}:${settings.label}`;
    this.#firstSendMs = nowMs;
    this.#round = new Round(nodes.length, schedule, settings.nodeTimeoutMs, this);
    let proposal: number | undefined;
    if (settings.fencing) {
      proposal = nextProposal(context.lastProposal, clock.wallUs());
      context.lastProposal = proposal;
    }
    const operation = this.#operation("acquire", proposal, nowMs);
    const { handOver, adopted } = place;
    if (adopted !== undefined) this.#adopt(operation, adopted);
    else if (handOver === undefined) this.#round.send(nodes, operation, 0, nowMs);
    else this.#takeOver(operation, handOver);
  }

  #takeOver(operation: Operation, handOver: HandOver): void {
    const onVote = (index: number, vote: Vote): void => {
      // First, so that what the node has not let go is released before anything else is sent.
      handOver.onVote(index, vote);
      this.#round.onVote(index, vote);
    };
    const { previous } = handOver;
    const { nodes } = this.#context;
    this.#round.send(nodes, { ...operation, previous }, 0, this.#firstSendMs, { onVote });
  }

  /** Only a node where the key was still the other's proves that nobody came between. */
  #adopt(operation: Operation, ownerId: string): void {
    const onVote = (index: number, vote: Vote): void => {
      const isUnproven = vote.kind === "granted" && vote.isHandedOver !== true;
      this.#round.onVote(index, isUnproven ? NOT_THERE : vote);
    };
    const { nodes } = this.#context;
    this.#round.send(
      nodes,
      { ...operation, previous: { ownerId, token: undefined } },
      0,
      this.#firstSendMs,
      { onVote },
    );
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
    const holding = this.#holding;
    if (holding === undefined) {
      if (!this.#isOver) this.#sealing?.onAcquireVote(index, vote);
      return;
    }
    const token = holding.fencingToken;
    const hasFence = vote.kind === "granted" && token !== undefined;
    if (!hasFence || sealState(vote.fence, token) === "sealed") holding.onVote(index, vote);
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
    if (vote.kind === "granted") this.#holding?.onComplete(index);
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
    this.#holding = new Holding(this.#context, {
      keys: enteredKeys(this.#keys),
      settings: this.#settings,
      ownerId: this.#ownerId,
      fencingToken: token,
      firstSendMs: this.#firstSendMs,
      grantedAtMs: nowMs,
      validUntilMs: validUntil,
      touched: this.#owed,
      complete,
      run: this.#run(nowMs),
    });
    this.#listener.onOutcome({ kind: "granted", holding: this.#holding });
  }

  /** Until when a grant is valid; undefined if now no usable validity is left. */
  #usableUntilMs(nowMs: number): number | undefined {
    const { ttlMs, driftFactor, minValidityMs } = this.#settings;
    const validUntil = validUntilMs(this.#firstSendMs, ttlMs, driftFactor);
    if (!isValid(nowMs, validUntil, minValidityMs)) return undefined;
    return validUntil;
  }

  /** While nobody else waits a run begins anew with every grant. */
  #run(nowMs: number): Run {
    const { handOver } = this.#place;
    const handOverCount = handOver === undefined ? 0 : 1;
    const isWaitedFor = this.#round.votes.some(
      (vote) => vote?.kind === "granted" && vote.isWaitedFor === true,
    );
    const before = handOver?.run;
    if (isWaitedFor && before?.isWaitedFor === true) {
      return { ...before, handOverCount: before.handOverCount + 1 };
    }
    const { lastTicket } = this.#context.lines;
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
    this.#place.handOver?.letGo();
    rollback(this.#context, {
      keys: this.#keys,
      ownerId: this.#ownerId,
      settings: this.#settings,
      token: this.#sealing?.token,
      owed: this.#owed,
      // A set that was refused for another name than the first must not be called up for that again,
      // nor one who wants any permit for the one that others have on other nodes.
      waiter: this.#mayWait ? this.#place.waiter : undefined,
    });
  }

  get #mayWait(): boolean {
    return isAnyPlace(this.#keys) && this.#place.adopted === undefined;
  }

  /** The nodes that may hold a key of ours; of an adoption also those that had none to take over. */
  get #owed(): number {
    const { adopted } = this.#place;
    return adopted === undefined ? owedNodes(this.#round.votes) : ALL_NODES;
  }

  #operation(kind: OperationKind, fence: number | undefined, nowMs: number): Operation {
    const sendBeforeMs = nowMs + this.#settings.nodeTimeoutMs;
    const isTheft = kind === "acquire" && this.#place.isTheft === true;
    return {
      kind,
      keys: isTheft ? stolenKeys(this.#keys) : this.#keys,
      ownerId: this.#ownerId,
      ttlMs: keyTtlMs(this.#settings),
      fence,
      sendBeforeMs,
      waiter: kind === "acquire" ? this.#place.waiter : undefined,
      wire: undefined,
    };
  }
}

function isAnyPlace({ layout }: NameKeys): boolean {
  return layout?.kind !== "several" && layout?.kind !== "slot";
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
