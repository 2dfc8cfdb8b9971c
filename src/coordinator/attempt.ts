import { nextProposal, sealState } from "../protocol/fencing.js";
import type { NameKeys } from "../protocol/keys.js";
import type { Operation, OperationKind, Vote } from "../protocol/operation.js";
import { quorumFreeInMs } from "../protocol/backoff.js";
import { isValid, validUntilMs } from "../protocol/validity.js";
import { isRefusedByQuorum } from "../protocol/verdict.js";
import type { Context, LeaseSettings, Votes } from "./context.js";
import { Holding } from "./holding.js";
import { owedNodes } from "./owed.js";
import { release } from "./release.js";
import { Round } from "./round.js";
import { Sealing } from "./sealing.js";

/** How an attempt ended. Everything but `granted` has been rolled back on all nodes. */
export type AttemptOutcome =
  | { readonly kind: "granted"; readonly holding: Holding }
  | {
      /**
       * - `refused`: nodes that hold another owner's key made a quorum impossible
       * - `unreachable`: faults did
       * - `exhausted`: a quorum granted, but no usable validity was left
       */
      readonly kind: "refused" | "unreachable" | "exhausted";
      readonly votes: Votes;
      /** When a quorum can be free by expiry alone, ms from now; Infinity if unknown. */
      readonly quorumFreeInMs: number;
    };

/**
 * One acquire round, then its sealing or its rollback, under an ownerId of its own.
 *
 * A fresh ownerId for every attempt: with one for all, a delayed rollback of this attempt would
 * delete the key of the next.
 */
export class Attempt {
  readonly #context: Context;
  readonly #keys: NameKeys;
  readonly #settings: LeaseSettings;
  readonly #settle: (outcome: AttemptOutcome) => void;
  readonly #ownerId: string;
  readonly #firstSendMs: number;
  readonly #round: Round;
  #sealing: Sealing | undefined;
  #holding: Holding | undefined;
  #isOver = false;

  constructor(
    context: Context,
    keys: NameKeys,
    settings: LeaseSettings,
    settle: (outcome: AttemptOutcome) => void,
  ) {
    const { clock, entropy, nodes } = context;
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#settle = settle;
    this.#ownerId = settings.label === "" ? entropy.id() : `${entropy.id()}:${settings.label}`;
    // Read before the operation enters any queue: waiting anywhere must count against us.
    this.#firstSendMs = clock.now();
    this.#round = new Round(nodes.length, {
      onVerdict: (round) => this.#onVerdict(round),
      onStraggler: (index, vote) => this.#onStraggler(index, vote),
    });
    let proposal: number | undefined;
    if (settings.fencing) {
      proposal = nextProposal(context.lastProposal, clock.wallUs());
      context.lastProposal = proposal;
    }
    const operation = this.#operation("acquire", proposal);
    this.#round.send(nodes, operation, 0, clock, settings.nodeTimeoutMs);
  }

  /** Gives up: rolls back and never settles. Without effect once settled. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#round.abandon();
    this.#rollback();
  }

  #onVerdict(round: Round): void {
    if (round.verdict === "lost") {
      this.#fail(isRefusedByQuorum(round) ? "refused" : "unreachable");
    } else if (this.#settings.fencing) {
      this.#seal(round);
    } else {
      this.#grant(undefined);
    }
  }

  #seal(round: Round): void {
    const sealing = new Sealing(this.#context.nodes.length, round.votes, {
      askSeal: (index, token) => this.#askSeal(index, token),
      onVerdict: (result) => {
        if (result.verdict === "won") this.#grant(result.token);
        else this.#fail(isRefusedByQuorum(result) ? "refused" : "unreachable", result.votes);
      },
    });
    this.#sealing = sealing;
    sealing.start(this.#context.clock, this.#settings.nodeTimeoutMs);
  }

  #askSeal(index: number, token: number): void {
    const reply = (vote: Vote): void => this.#onSealVote(index, token, vote);
    this.#context.nodes[index]?.submit(this.#operation("seal", token), reply, false);
  }

  #onSealVote(index: number, token: number, vote: Vote): void {
    this.#sealing?.onSealVote(index, token, vote);
    if (vote.kind === "granted") this.#holding?.onComplete(index);
  }

  #onStraggler(index: number, vote: Vote): void {
    if (this.#holding !== undefined) {
      const token = this.#holding.fencingToken;
      const isComplete =
        vote.kind === "granted" &&
        (token === undefined || sealState(vote.fence, token) === "sealed");
      if (isComplete) this.#holding.onComplete(index);
    } else if (!this.#isOver) {
      this.#sealing?.onAcquireVote(index, vote);
    }
  }

  #grant(token: number | undefined): void {
    if (this.#isOver) return;
    const { clock } = this.#context;
    const { ttlMs, driftFactor, minValidityMs } = this.#settings;
    const validUntil = validUntilMs(this.#firstSendMs, ttlMs, driftFactor);
    if (!isValid(clock.now(), validUntil, minValidityMs)) {
      this.#fail("exhausted");
      return;
    }
    this.#isOver = true;
    this.#holding = new Holding(this.#context, {
      keys: this.#keys,
      settings: this.#settings,
      ownerId: this.#ownerId,
      fencingToken: token,
      firstSendMs: this.#firstSendMs,
      validUntilMs: validUntil,
      touched: owedNodes(this.#round.votes),
      complete: this.#completeNodes(token),
    });
    this.#settle({ kind: "granted", holding: this.#holding });
  }

  /** Bit mask of the nodes that hold our key with the token stored. */
  #completeNodes(token: number | undefined): number {
    if (this.#sealing !== undefined && token !== undefined) return this.#sealing.sealed;
    let mask = 0;
    this.#round.votes.forEach((vote, index) => {
      if (vote?.kind === "granted") mask |= 1 << index;
    });
    return mask;
  }

  #fail(kind: "refused" | "unreachable" | "exhausted", votes: Votes = this.#round.votes): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rollback();
    this.#settle({ kind, votes, quorumFreeInMs: quorumFreeInMs(votes.map(blockedMs)) });
  }

  /** To all nodes, also those that refused or timed out, behind the acquire on its connection. */
  #rollback(): void {
    this.#sealing?.stop();
    void release(this.#context, {
      keys: this.#keys,
      ownerId: this.#ownerId,
      settings: this.#settings,
      token: this.#sealing?.token,
      owed: owedNodes(this.#round.votes),
    });
  }

  #operation(kind: OperationKind, fence: number | undefined): Operation {
    const { ttlMs, nodeTimeoutMs } = this.#settings;
    const sendBeforeMs = this.#context.clock.now() + nodeTimeoutMs;
    return { kind, keys: this.#keys, ownerId: this.#ownerId, ttlMs, fence, sendBeforeMs };
  }
}

/** How long a node will go on refusing by itself, as far as its vote tells. */
function blockedMs(vote: Vote | undefined): number {
  if (vote?.kind === "granted") return 0;
  return vote?.kind === "refused" && vote.reason === "held"
    ? vote.remainingMs
    : Number.POSITIVE_INFINITY;
}
