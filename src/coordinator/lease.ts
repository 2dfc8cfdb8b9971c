import {
  keepMs,
  keyTtlMs,
  longerKeptMs,
  renewalAtMs,
  isUsable,
  lossAtMs,
  minHoldLeftMs,
  remainingTtlMs,
  validUntilMs,
} from "../protocol/lease-times.js";
import type { Run } from "../protocol/pass-on-run.js";
import type { LockKind } from "../protocol/lock-kind.js";
import {
  newOperation,
  type OperationOf,
  type PartsOf,
  type Proclaimed,
  type Vote,
  type Votes,
} from "../protocol/operation.js";
import { nodeCountOf, quorumSize } from "../protocol/quorum.js";
import type { NodeGrant } from "../protocol/node-messages.js";
import type { Waiter } from "../protocol/node-queue.js";
import type { Context } from "./context.js";
import type { PlaceOfLock } from "./places.js";
import { LeaseRenewal, type ExtendedLease, type ExtendResult } from "./lease-renewal.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { LossCause, LossReason } from "./loss.js";
import type { ManagedLease } from "./observer.js";
import type { VoteReceiver } from "./ports.js";
import { release, rollback, type Released } from "./release.js";
import type { ReleaseResult } from "./release-result.js";
import type { Sleeper } from "./schedule.js";
import type { QueueMember, WaitQueue } from "./wait-queue.js";

/** The result of an attempt that acquired a lock. */
export interface Grant {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  readonly ownerId: string;
  /** What the nodes have stored: its first token. */
  readonly fence: number | undefined;
  readonly firstSendMs: number;
  /** Now, by the lease clock, ms. */
  readonly grantedAtMs: number;
  readonly validUntilMs: number;
  /** Bit mask of the nodes that may hold a key of ours. */
  readonly mayHold: number;
  /** Bit mask of the nodes that hold our key with the token stored. */
  readonly complete: number;
  /** Of one that was waited for. */
  readonly place?: PlaceOfLock | undefined;
  readonly run: Run;
}

/** What a lock object is built on: the lease itself, or one of several handles on it. */
export type LeaseHandle = Pick<
  Lease,
  | ("keys" | "ownerId" | "fencingToken" | "remainingMs" | "minHoldLeftMs" | "state")
  | ("lossReason" | "lossCause" | "onLost" | "isGiven" | "settings")
  | ("isHeld" | "extend" | "proclaim" | "release" | "give")
>;

/**
 * A granted lock, from the grant to its loss or its release.
 *
 * `held` is left once, for `lost` or `released`. After that only the release is sent, so on every node the release is
 * this ownerId's last operation. Or it is passed on within the process: nothing is sent, another lease goes on with the
 * ownerId, its validity and its keys, and with the next token.
 */
export class Lease implements ExtendedLease, ManagedLease, Sleeper, VoteReceiver {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  /** What the nodes have stored for its ownerId. */
  readonly fence: number | undefined;
  readonly settings: LeaseSettings;
  readonly run: Run;
  readonly place: PlaceOfLock | undefined;
  readonly grantedAtMs: number;
  readonly firstRenewalAtMs: number;
  /** Called immediately when the lock is lost, that is, ends without a release. */
  onLost: ((reason: LossReason) => void) | undefined;
  /** Set by {@link give} only. */
  isGiven = false;
  /** It ended because another of this process goes on with it. */
  isPassedOn = false;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  #state: "held" | "lost" | "released" = "held";
  #validUntilMs: number;
  #provenAtMs: number;
  /** When the keys of the rounds that proved it expire, lease clock, ms; those created later expire with them. */
  #keysEndMs: number;
  /** The longest life that a key was given, ms. */
  #longestLifeMs: number;
  /** When it was granted, monotonic clock, ms: a minimum hold counts from here, and must not end early. */
  readonly #grantedSteadyMs: number;
  /** Bit mask of the nodes that may hold a key of ours: they must receive the release. */
  #mayHold: number;
  /** Bit mask of the nodes that hold our key with the token stored. */
  #complete: number;
  /** When nodes without a complete key are repaired, lease clock, ms. */
  #backfillAtMs = Number.POSITIVE_INFINITY;
  /** Bit mask of the nodes that have notified us while we held the lock: to be healed, as it was not complete there. */
  #turnsTaken = 0;
  /** The same, where it was complete. */
  #turnsUnused = 0;
  /** From the first renewal or extension on. */
  #renewal: LeaseRenewal | undefined;
  #lossReason: LossReason | undefined;
  #lossCause: LossCause | undefined;
  #releasing: Promise<ReleaseResult> | undefined;
  /** To which it was passed on. */
  #heir: Lease | undefined;
  /** Sent with all that keeps it alive. */
  #proclaimed: Proclaimed | undefined;

  /** @param giver which was passed on to it: of that are the times and the nodes */
  constructor(context: Context, grant: Grant, giver?: Lease) {
    const { settings, firstSendMs, fence, run } = grant;
    this.#context = context;
    this.keys = grant.keys;
    this.settings = settings;
    this.ownerId = grant.ownerId;
    this.fence = fence;
    this.fencingToken = fence === undefined ? undefined : fence + run.passOnCount;
    this.run = run;
    this.place = grant.place;
    this.grantedAtMs = grant.grantedAtMs;
    this.#grantedSteadyMs = settings.minHoldMs ? context.clock.steady() : 0;
    this.#validUntilMs = grant.validUntilMs;
    this.#provenAtMs = firstSendMs;
    this.#longestLifeMs = keyTtlMs(settings);
    this.#keysEndMs = firstSendMs + this.#longestLifeMs;
    if (giver !== undefined) {
      this.#turnsTaken = giver.#turnsTaken;
      giver.#heir = this;
    }
    this.#mayHold = grant.mayHold;
    this.#complete = grant.complete;
    const all = (1 << context.nodes.length) - 1;
    // Stragglers have until the node deadline to complete the grant on their own.
    if ((this.#complete & all) !== all)
      this.#backfillAtMs = giver ? giver.#backfillAtMs : grant.grantedAtMs + settings.nodeTimeoutMs;
    this.firstRenewalAtMs = settings.renew
      ? renewalAtMs(firstSendMs, settings)
      : Number.POSITIVE_INFINITY;
    this.reschedule();
    context.observer.onGranted(this);
    if (settings.value !== undefined) void this.proclaim(settings.value);
  }

  get state(): "held" | "lost" | "released" {
    return this.#state;
  }

  get lossReason(): LossReason | undefined {
    return this.#lossReason;
  }

  /** Of an expired lease: why it was not extended. */
  get lossCause(): LossCause | undefined {
    return this.#lossCause;
  }

  /** Lease clock, ms. The lock counts as held before this instant at the latest: at the instant itself it has ended. */
  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** Lease clock, ms. First send of the latest round that proved the lock. */
  get provenAtMs(): number {
    return this.#provenAtMs;
  }

  /** What is left of the validity in ms; 0 once the lock is lost or released. */
  get remainingMs(): number {
    if (this.#state !== "held") return 0;
    return Math.max(0, this.#validUntilMs - this.#context.clock.now());
  }

  /** What is left of its minimum hold in ms of real time, whatever becomes of the lock; 0 if there is none. */
  get minHoldLeftMs(): number {
    const { minHoldMs, driftFactor } = this.settings;
    if (!minHoldMs) return 0;
    const heldMs = this.#context.clock.steady() - this.#grantedSteadyMs;
    return minHoldLeftMs(minHoldMs, heldMs, driftFactor);
  }

  /** Whether the lock is held now, by the clock. Detects a loss that no timer has reported yet. */
  isHeld(): boolean {
    if (this.#state === "held" && this.#context.clock.now() >= this.#validUntilMs) {
      this.#lose("expired");
    }
    return this.#state === "held";
  }

  /**
   * The vote on a heal: one that grants it holds our key with the token stored. Called by the attempt, too, with such a
   * vote on a seal, and with a straggler of the acquire round with which nothing is wrong.
   */
  onVote(index: number, vote: Vote): void {
    if (this.#heir !== undefined) return this.#heir.onVote(index, vote);
    if (vote.kind === "granted") {
      this.#complete |= 1 << index;
      this.#mayHold |= 1 << index;
    }
    // One node suffices: an operator has ended the lock, whatever other nodes still hold.
    else if (vote.kind === "refused" && vote.reason === "ended") this.onTaken();
  }

  /**
   * Called by the wait queues: the node notifies this process although it holds the lock. It refused the acquire
   * because the release reached it only now. So it is healed rather than left waiting for us. Only once per node: no
   * second notification can be genuine, and messages must not decide how often we ask.
   */
  takeTurn(index: number, waiter: Waiter): void {
    const bit = 1 << index;
    if (this.#state !== "held") return;
    if (this.#complete & bit) this.#turnsUnused |= bit;
    else if (!(this.#turnsTaken & bit)) {
      this.#turnsTaken |= bit;
      this.#heal(index, waiter);
    }
  }

  /** Called by the wait queues: a node that had refused the acquire has executed it since. */
  onNodeGrant(index: number, grant: NodeGrant): boolean {
    const dated = this.#context.nodes[index]?.voteOf(grant, this.ownerId);
    if (dated === undefined || this.#state !== "held") return false;
    this.place?.onNodeGrant(index);
    if (this.fence === undefined || dated.vote.fence === this.fence) this.onVote(index, dated.vote);
    else this.#mayHold |= 1 << index;
    return true;
  }

  /** Called by the renewal, and where a grant to another request of this process proves it. */
  onTaken(): void {
    this.#lose("taken");
  }

  /** Called by the renewal. */
  onExtended(firstSendMs: number, ttlMs: number, votes: Votes): void {
    const extendedMs = validUntilMs(firstSendMs, ttlMs, this.settings.driftFactor);
    const keysEndMs = firstSendMs + keyTtlMs({ ...this.settings, ttlMs });
    // An earlier extension may have been for longer.
    this.#validUntilMs = Math.max(this.#validUntilMs, extendedMs);
    this.#keysEndMs = Math.max(this.#keysEndMs, keysEndMs);
    this.#provenAtMs = Math.max(this.#provenAtMs, firstSendMs);
    this.#backfillAtMs = Number.POSITIVE_INFINITY;
    // Little validity is left when the grant is known: a timer might report the loss too late.
    if (this.#context.clock.now() >= lossAtMs(this.#validUntilMs)) this.#lose("expired");
    else {
      this.reschedule();
      this.#context.observer.onExtended(this);
    }
    votes.forEach((vote, index) => vote !== undefined && this.onExtendVote(index, vote));
  }

  /** Called by the renewal: heals where the key is free, and where it is ours but may lack the token. */
  onExtendVote(index: number, vote: Vote): void {
    const bit = 1 << index;
    if (vote.kind === "refused") this.#complete &= ~bit;
    const lacksToken = vote.kind === "granted" && (this.#complete & bit) === 0;
    const lacksKey = vote.kind === "refused" && vote.reason === "free";
    if (lacksToken || lacksKey) this.#heal(index);
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    if (this.#state !== "held") return;
    const { maxHoldMs } = this.settings;
    if (nowMs >= lossAtMs(this.#validUntilMs)) this.#lose("expired");
    else if (nowMs >= this.grantedAtMs + maxHoldMs) this.#lose("maxHold");
    else {
      if (nowMs >= this.#backfillAtMs) this.#backfill();
      const renewAtMs = this.#renewal?.wakeAtMs ?? this.firstRenewalAtMs;
      if (nowMs >= renewAtMs) this.#renewing().wake(nowMs);
      this.reschedule();
    }
  }

  /** One extend round, to that ttl from now. Calls while one as long is in flight share it. Never rejects. */
  extend(ttlMs?: number): Promise<ExtendResult> {
    return this.#renewing().extend(ttlMs);
  }

  /** Says something else of itself to those who observe the name: one extend round. Never rejects. */
  proclaim(value: string): Promise<ExtendResult> {
    this.#proclaimed = { number: (this.#proclaimed?.number ?? 0) + 1, value };
    return this.#renewing().extend(this.settings.ttlMs, true);
  }

  /**
   * Ends the lock on all nodes, including those that are down, unless it is passed on within this process. Resolves
   * when a quorum has answered or nothing more can come; never rejects.
   */
  release(): Promise<ReleaseResult> {
    if (this.#state === "held") {
      // A lease that has ended was not released in time, whatever the nodes still hold.
      if (!this.isHeld()) return Promise.resolve("expired");
      const waitQueue = this.#context.waitQueues.of(this.keys);
      const next = waitQueue && this.#successor(waitQueue);
      if (next !== undefined) return this.#passOn(next);
      this.#end("released", true);
      this.#context.observer.onReleased(this);
      this.#releasing = release(this.#context, this.#released);
      this.#context.observer.onReleasing?.(this, this.#releasing);
      if (waitQueue !== undefined) this.#letLook();
    }
    return this.#releasing ?? Promise.resolve("expired");
  }

  /** Ends the lock here, unless it has ended; the caller sends its release. */
  endHere(): Released {
    if (this.isHeld()) {
      this.#end("released", true);
      this.#context.observer.onReleased(this);
    }
    return this.#released;
  }

  /** Ends the lock here without a release: another process may take it over from this owner, while its keys last. */
  give(): void {
    if (!this.isHeld()) return;
    this.isGiven = true;
    this.#end("released", false);
    // What was left in their queues is nobody's once executed after the other process was refused there, or has released.
    // Only while others have what is given: it might have been executed by now.
    if (nodeCountOf(this.#complete) >= quorumSize(this.#context.nodes.length))
      this.#withdraw((this.place?.nodes ?? 0) & ~this.#complete);
    this.#context.observer.onReleased(this);
    this.#releasing = Promise.resolve("handedOver");
    this.#context.observer.onReleasing?.(this, this.#releasing);
    // No release puts them into the queues. What they leave there replaces what was left for this owner.
    this.#context.waitQueues.lookAgain(this.keys);
  }

  /**
   * Called by the attempt: a straggler has stored our key with a later fence. Where the lock is given away, the process
   * that adopted it may have released it there before.
   */
  onLaterFence(index: number): void {
    if (this.#heir !== undefined) this.#heir.onLaterFence(index);
    else if (this.isGiven) this.#withdraw(1 << index);
  }

  /** After it was given away. @param nodes bit mask of those that are to forget the owner */
  #withdraw(nodes: number): void {
    if (nodes !== 0) rollback(this.#context, this.#releasedWith(undefined), nodes);
  }

  /** The waiter of this process that it is passed on to; undefined if the nodes are to choose. */
  #successor(waitQueue: WaitQueue): QueueMember | undefined {
    const { keys, run, settings } = this;
    // A name that is kept closed is available to nobody. What was extended, or proclaimed with that, ends with the lock.
    const isOwn = Boolean(settings.minHoldMs) || this.#renewal !== undefined;
    // Nodes that have notified us while we held it may have ended it.
    if (!keys.queue.passesOn || isOwn || this.#turnsUnused !== 0) return undefined;
    // Tickets have moved since: those that came later have earlier ones.
    if (run.lastTicket > this.#context.waitQueues.lastTicket) return undefined;
    const nowMs = this.#context.clock.now();
    if (!isUsable(nowMs, this.#validUntilMs)) return undefined;
    return waitQueue.successor(settings, run, nowMs);
  }

  #passOn(next: QueueMember): Promise<ReleaseResult> {
    const { clock, observer, schedule } = this.#context;
    const nowMs = clock.now();
    this.#state = "released";
    this.isPassedOn = true;
    schedule.remove(this);
    this.#releasing = Promise.resolve("released");
    observer.onReleased(this);
    const grant: Grant = {
      keys: next.keys,
      settings: this.settings,
      ownerId: this.ownerId,
      fence: this.fence,
      firstSendMs: this.#provenAtMs,
      grantedAtMs: nowMs,
      validUntilMs: this.#validUntilMs,
      mayHold: this.#mayHold,
      complete: this.#complete,
      place: this.place,
      run: { ...this.run, passOnCount: this.run.passOnCount + 1 },
    };
    const heir = new Lease(this.#context, grant, this);
    observer.onReleasing?.(this, this.#releasing);
    next.receive(heir);
    return this.#releasing;
  }

  /** Gives the lock up because its manager closes; the holder is notified as of any other loss. */
  async close(): Promise<void> {
    if (!this.isHeld()) return;
    const released = release(this.#context, this.#released);
    this.#leave("closed", true);
    await released;
  }

  /**
   * Another request of this process steals the name. Called before that request asks, so this lock ends first.
   *
   * @returns sends its release: after that request has asked, or the nodes would give the name to a waiter elsewhere
   *   right before it is taken from that one
   */
  preempt(): () => void {
    if (!this.isHeld()) return () => {};
    this.#lose("stolen", true);
    return () => this.#releaseLost();
  }

  /** @param isReleasedLater by the caller */
  #lose(reason: LossReason, isReleasedLater = false): void {
    if (this.#state !== "held") return;
    // After extends and heals that may still arrive; before anybody is notified, so that no listener's reaction can
    // come first.
    if (!isReleasedLater) this.#releaseLost();
    this.#leave(reason, this.#isReleasedByLoss);
    this.#letLook();
  }

  /** With a lock-delay the name stays closed: the keys are left to expire, as where they may be another's. */
  get #isReleasedByLoss(): boolean {
    const { lockDelayMs, isByValue } = this.settings;
    return !lockDelayMs && isByValue !== true;
  }

  #releaseLost(): void {
    if (this.#isReleasedByLoss) rollback(this.#context, this.#released);
  }

  #leave(reason: LossReason, isReleased: boolean): void {
    if (reason === "expired") this.#lossCause = this.#renewing().causeOfExpiry();
    this.#end("lost", isReleased);
    this.#lossReason = reason;
    this.onLost?.(reason);
    this.#context.observer.onLost(this, reason);
  }

  /** The lock is no longer held; from now on only the release is sent. */
  #end(state: "lost" | "released", isReleased: boolean): void {
    this.#state = state;
    this.#context.waitQueues.onEnd(this, isReleased);
    this.#renewal?.stop();
    this.#context.schedule.remove(this);
  }

  /** Whoever waits here for the name may have to find out itself whether it is free. */
  #letLook(): void {
    const { lockDelayMs, minHoldMs } = this.settings;
    const staysClosed = Boolean(lockDelayMs) || Boolean(minHoldMs);
    // They meant it for a waiter: the lock had been ended on the nodes, and this process did not know.
    const isToldUnheeded = nodeCountOf(this.#turnsUnused) >= quorumSize(this.#context.nodes.length);
    if (staysClosed || isToldUnheeded) this.#context.waitQueues.lookAgain(this.keys);
  }

  get #released(): Released {
    const { keys, ownerId } = this;
    const next = this.#context.waitQueues.of(keys)?.toSend();
    // Its own acquire is about to leave the wait queue where it ends as soon as it is granted.
    const released = this.#releasedWith(next?.deferred?.ownerId === ownerId ? undefined : next);
    const { minHoldMs, driftFactor } = this.settings;
    if (!minHoldMs) return released;
    return { ...released, keepMs: keepMs(this.minHoldLeftMs, driftFactor) || undefined };
  }

  #releasedWith(waiter: Waiter | undefined): Released {
    const { keys, ownerId, settings, fence: token } = this;
    const mayHold = this.#mayHold;
    const lifeMs = this.#longestLifeMs;
    const place = keys.queue.isDeferred && this.place?.nodes ? this.place.place.waiter : undefined;
    const proclaimed = this.#proclaimed;
    // With all properties: to add one to a copy takes Node.js 20 longer than all else here.
    const keepMs = undefined;
    return { keys, ownerId, settings, token, mayHold, lifeMs, waiter, place, keepMs, proclaimed };
  }

  #backfill(): void {
    this.#backfillAtMs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#context.nodes.length; index++) {
      if ((this.#complete & (1 << index)) === 0) this.#heal(index);
    }
  }

  /**
   * Restores the key where it is missing and no other client's key is there. Only while held: a heal after the release
   * would leave a key without an owner.
   */
  #heal(index: number, waiter?: Waiter): void {
    if (!this.isHeld()) return;
    const nowMs = this.#context.clock.now();
    // Above 0: the validity ends before the keys of the round that proved it.
    const leftMs = remainingTtlMs(nowMs, this.#keysEndMs);
    this.#mayHold |= 1 << index;
    const operation = newOperation("heal", { ...this.#keeping(leftMs, nowMs), waiter });
    this.#context.nodes[index]?.submit(operation, this, false);
  }

  /** Called by the renewal: extends the key to that ttl. */
  extension(ttlMs: number, nowMs: number): OperationOf<"extend"> {
    const lifeMs = keyTtlMs({ ...this.settings, ttlMs });
    // Even if the round fails, a node may have stored it.
    this.#longestLifeMs = Math.max(this.#longestLifeMs, lifeMs);
    return newOperation("extend", this.#keeping(lifeMs, nowMs));
  }

  /** What keeps it alive is never sent after the end of the validity. */
  #keeping(ttlMs: number, nowMs: number): PartsOf<"extend"> {
    const { keys, ownerId, fence, settings } = this;
    const { nodeTimeoutMs, clockStepMs: marginMs } = settings;
    const sendBeforeMs = Math.min(this.#validUntilMs, nowMs + nodeTimeoutMs);
    const keptMs = longerKeptMs(settings, ttlMs);
    const proclaimed = this.#proclaimed;
    return { keys, ownerId, ttlMs, marginMs, keptMs, fence, sendBeforeMs, proclaimed };
  }

  #renewing(): LeaseRenewal {
    this.#renewal ??= new LeaseRenewal(this.#context, this);
    return this.#renewal;
  }

  /** Called by the renewal, too: sets the next wake-up. */
  reschedule(): void {
    if (this.settings.isByValue === true) return;
    const endMs = this.grantedAtMs + this.settings.maxHoldMs;
    const renewAtMs = this.#renewal?.wakeAtMs ?? this.firstRenewalAtMs;
    const lossMs = lossAtMs(this.#validUntilMs);
    const wakeAtMs = Math.min(lossMs, renewAtMs, this.#backfillAtMs, endMs);
    this.#context.schedule.set(this, wakeAtMs);
  }
}
