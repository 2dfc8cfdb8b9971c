import { NOBODY, type Clock } from "../coordinator/ports.js";
import {
  faultVote,
  type AnyOperation,
  type FaultVote,
  type Operation,
} from "../protocol/operation.js";
import type { ChannelSettings } from "./channel-settings.js";
import { HeardCalls, withoutDeferred } from "./deferred-acquires.js";
import {
  answerUnknown,
  failCall,
  refuseUnsent,
  type Entry,
  type Refusal,
  type Storing,
} from "./entry.js";
import type { Call, NodeConnection } from "./node-connection.js";
import { OverdueHolders } from "./overdue-holders.js";
import type { PlausibleVotes } from "./plausible-votes.js";
import { Suspicion } from "./suspicion.js";
import type { BatchReply } from "./transport.js";

/** Maximum number of calls in flight to one node: beyond it, operations gather into fuller batches. */
const MAX_IN_FLIGHT = 16;

/**
 * Maximum number of operations in one script call, each counted as often as it has names or places: bounds how long a
 * node is busy with one call.
 */
const MAX_BATCH_SIZE = 256;

/**
 * Minimum number of calls into which the operations for a single node are split, so that the node works on one while
 * we prepare the next. With one call the two would take turns; more and smaller calls cost more than they gain
 * (docs/explain/performance.md).
 */
const SINGLE_NODE_PARTS = 2;

/** Larger parts gain nothing: the node is already busy all the time. */
const MAX_PART_SIZE = 16;

/** The node that the operations are for. */
export interface PipelinedNode {
  /**
   * Why the node must not get the operation now; undefined if it may. Asked when it is sent: until then the node may
   * lose its data and have a new record.
   */
  problemOf(operation: Storing): Refusal | undefined;
  /** Whether its votes on acquires count now. */
  readonly votesCount: boolean;
  /** The node's record differs from the one that the batch named. */
  onForgot(): void;
  /** An operation failed there. Its caller knows. */
  onFault(entry: Entry, vote: FaultVote): void;
  /** {@link Pipeline.checkAtMs} has come, and something is sent. */
  onCheckDue(): void;
  /** An answer carried the node's time. */
  onNodeTime(nodeMs: number, roundTripMs: number): void;
  /** It is suspected now, or no longer suspected. */
  onSuspicion(): void;
}

/** A call on its way. */
interface InFlight extends Call {
  entries: readonly Entry[];
  readonly sentMs: number;
}

const LATE: Refusal = { fault: "late", message: "the client was too busy to send it in time" };

const HELD_BACK: Refusal = {
  fault: "timeout",
  message: "not sent within its deadline: the node was not ready for it",
};

/**
 * Operations on one connection: all of one tick are sent as one script call, in order.
 *
 * The order survives the rejection of a call: nothing new is sent, the replies are drained, operations that were not
 * executed are sent again in order, and then sending resumes. After NOSCRIPT they carry the script. After a call with a
 * key that the user may not use they are sent in parts, and those of a part that is rejected in smaller ones, as the server
 * does not say which it is: in the end it is alone, and its caller is told, and no other.
 */
export class Pipeline {
  connection: Pick<NodeConnection, "send" | "end"> | undefined;
  readonly heardCalls = new HeardCalls();
  /** Incarnation of the node that the sender knows. Set by {@link onRecord}. */
  recordId = "";
  /** When the node should be asked again who it is, lease clock, ms. Not by a timer: one that is idle need not know. */
  checkAtMs = Number.POSITIVE_INFINITY;
  /** Of the node, whose operations may have been unanswered for so long that others should not wait for it. */
  readonly suspicion: Suspicion;
  readonly #clock: Clock;
  readonly #nodeCount: number;
  readonly #votes: Pick<PlausibleVotes, "pass">;
  readonly #node: PipelinedNode;
  readonly #overdue: OverdueHolders;
  #queue: Entry[] = [];
  /** Number of operations at its head that waited for the node; all others waited only for the end of this tick. */
  #heldBackCount = 0;
  /** Number of operations at its head that have met NOSCRIPT. */
  #resentCount = 0;
  #inFlight: InFlight[] = [];
  #isFlushDue = false;
  #isScriptLoaded = false;
  /** From the first rejected call on, until its operations are sent again. */
  #unexecuted: Unexecuted | undefined;
  /** While somebody waits for that. */
  #onIdle: (() => void) | undefined;

  constructor(
    clock: Clock,
    {
      nodeCount,
      driftFactor,
      suspectAfterMs,
      giveUpAfterMs,
    }: Pick<ChannelSettings, "nodeCount" | "driftFactor" | "suspectAfterMs" | "giveUpAfterMs">,
    votes: Pick<PlausibleVotes, "pass">,
    node: PipelinedNode,
  ) {
    this.#clock = clock;
    this.#nodeCount = nodeCount;
    this.#votes = votes;
    this.#node = node;
    this.suspicion = new Suspicion(clock, suspectAfterMs, giveUpAfterMs, {
      oldestSentMs: () => this.#inFlight[0]?.sentMs,
      onSuspicion: () => node.onSuspicion(),
      onBroken: (failure) => this.connection?.end(failure),
    });
    this.#overdue = new OverdueHolders(clock, driftFactor);
  }

  /** The node has shown its record: answers about its keys under another record may not hold for the current keys. */
  onRecord(id: string): void {
    if (id !== this.recordId) this.#overdue.clear();
    this.recordId = id;
  }

  /** @param wasHeldBack it has waited for the node */
  push(entry: Entry, wasHeldBack = false): void {
    if (wasHeldBack && this.#heldBackCount === this.#queue.length) this.#heldBackCount++;
    this.#queue.push(entry);
    // With several nodes the first is already at work while we write to the others.
    const fullLength = this.#nodeCount > 1 ? MAX_BATCH_SIZE : this.#partLength;
    if (!wasHeldBack && this.#queue.length >= fullLength) this.#flushFull();
    if (this.#queue.length > 0) this.#flushSoon();
  }

  /** Nothing is queued or in flight. */
  get isIdle(): boolean {
    const count = this.#queue.length + this.#inFlight.length;
    return count === 0 && this.#unexecuted === undefined;
  }

  /** Resolves when it is next idle, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(timeoutMs, resolve);
      this.#onIdle = () => {
        if (!this.isIdle) return;
        this.#onIdle = undefined;
        timer.cancel();
        resolve();
      };
      this.#onIdle();
    });
  }

  /** The connection has closed: returns what was sent and what was not, both in order. */
  reset(): { sent: Entry[]; unsent: Entry[] } {
    this.heardCalls.clear();
    // Whether what was rejected was executed is unknown, too: the last reply is missing.
    const sent = this.#unexecuted?.entries ?? [];
    for (const { entries } of this.#inFlight) sent.push(...entries);
    const unsent = this.#queue;
    this.connection = undefined;
    [this.#queue, this.#inFlight] = [[], []];
    [this.#heldBackCount, this.#resentCount] = [0, 0];
    [this.#isScriptLoaded, this.#unexecuted] = [false, undefined];
    this.suspicion.reset();
    this.#onIdle?.();
    return { sent, unsent };
  }

  /** Of a part of the operations for a single node. */
  get #partLength(): number {
    const sentCount = this.#inFlight.reduce((count, { entries }) => count + entries.length, 0);
    return Math.min(MAX_PART_SIZE, Math.ceil((this.#queue.length + sentCount) / SINGLE_NODE_PARTS));
  }

  /**
   * A full batch goes out without waiting for the end of the tick.
   *
   * From within `submit` no receiver may be called: only if there is nothing to refuse. And a batch, which has operations
   * of many callers, must not carry the async context of this one on to the others.
   */
  #flushFull(): void {
    // What gathers behind calls that are not answered is not looked through at each push.
    if (!this.#maySend) return;
    const nowMs = this.#clock.now();
    if (this.#queue.every((entry) => this.#refusalOf(entry, nowMs) === undefined))
      this.#clock.detached(this.#flush);
  }

  get #maySend(): boolean {
    return this.#unexecuted === undefined && this.#inFlight.length < MAX_IN_FLIGHT;
  }

  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    this.#clock.defer(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isFlushDue = false;
    while (this.connection !== undefined && this.#queue.length > 0 && this.#maySend)
      this.#sendBatch(this.connection);
    this.#heldBackCount = this.#queue.length;
    this.#onIdle?.();
  };

  #sendBatch(connection: Pick<NodeConnection, "send">): void {
    const nowMs = this.#clock.now();
    if (nowMs >= this.checkAtMs) this.#node.onCheckDue();
    const entries: Entry[] = [];
    const operations: Operation[] = [];
    const refused: (readonly [Entry, Refusal])[] = [];
    let length = 0;
    let size = 0;
    let nameCount = 0;
    let isHeard = false;
    let maxSize = MAX_BATCH_SIZE;
    for (; length < this.#queue.length; length++) {
      const entry = this.#queue[length] as Entry;
      const { operation } = entry;
      if (entry.maxBatchSize !== undefined) maxSize = Math.min(maxSize, entry.maxBatchSize);
      if (nameCount + operation.nameCount > maxSize && length > 0) break;
      const refusal = this.#refusalOf(entry, nowMs, length < this.#heldBackCount);
      if (refusal !== undefined) refused.push([entry, refusal]);
      else {
        // So that an acquire finds the keys of overdue holders free.
        const mayExpire = operation.kind === "acquire" && entry.maxBatchSize === undefined;
        const expiry = mayExpire && this.#overdue.expiryBefore(operation);
        if (expiry) {
          const { index } = entry;
          entries.push({
            operation: expiry,
            receiver: NOBODY,
            index,
            mayHold: false,
            wasSent: false,
          });
          operations.push(expiry);
          size += expiry.numberCount;
          nameCount += expiry.nameCount;
        }
        entries.push(entry);
        size += operation.numberCount;
        nameCount += operation.nameCount;
        const { kind, waiter }: AnyOperation = operation;
        const saysThatWeWait = kind === "refresh" || waiter?.deferred !== undefined;
        const mayGrant = saysThatWeWait && this.#mayGrant(operation);
        operations.push(saysThatWeWait && !mayGrant ? withoutDeferred(operation) : operation);
        isHeard ||= mayGrant;
      }
    }
    this.#queue.splice(0, length);
    this.#heldBackCount = Math.max(0, this.#heldBackCount - length);
    // With its hash alone, a server that loses the script again and again would execute nothing.
    if (this.#resentCount > 0) this.#isScriptLoaded = false;
    this.#resentCount = Math.max(0, this.#resentCount - length);
    if (entries.length > 0) {
      const { recordId } = this;
      const withScript = !this.#isScriptLoaded;
      const call: InFlight = { entries, sentMs: nowMs, operations, size, recordId, withScript };
      this.#inFlight.push(call);
      this.suspicion.watch(nowMs);
      this.#isScriptLoaded = true;
      const number = connection.send(call, this.#onReply);
      if (isHeard) this.heardCalls.add({ number, count: size, sentMs: nowMs, recordId });
    }
    for (const [entry, { fault, message }] of refused) refuseUnsent(entry, fault, message);
  }

  /** Where its votes do not count, or not on keys that live so long, it must not give the name to anybody. */
  #mayGrant(operation: Operation): boolean {
    const deferred = operation.kind === "release" ? operation.waiter?.deferred : undefined;
    if (this.recordId === "" || !this.#node.votesCount) return false;
    if (deferred === undefined) return true;
    const { ttlMs, marginMs } = deferred;
    return this.#node.problemOf({ kind: "acquire", ttlMs, marginMs }) === undefined;
  }

  /** Why an operation must not be sent any more, or not to this node; undefined if it may. */
  #refusalOf({ operation }: Entry, nowMs: number, wasHeldBack = false): Refusal | undefined {
    const problem = this.#node.problemOf(operation);
    if (problem !== undefined || operation.sendBeforeMs >= nowMs) return problem;
    return wasHeldBack ? HELD_BACK : LATE;
  }

  readonly #onReply = (answered: InFlight, reply: BatchReply): void => {
    if (reply.kind === "error") {
      // The node is in trouble: the connection is closed, and what is left in flight is answered when it closes. A
      // release that is owed stays in flight, to be sent again on the next one.
      answered.entries = failCall(answered.entries, reply);
      const { message, isMisconfigured = false } = reply;
      this.connection?.end({ message, isMisconfigured });
      return;
    }
    this.#inFlight.splice(this.#inFlight.indexOf(answered), 1);
    if (this.suspicion.isSuspected) this.suspicion.trust();
    // The server rejects a call before it reads the script that came with it.
    if (reply.kind === "forbidden" && answered.withScript) this.#isScriptLoaded = false;
    if (reply.kind === "noScript" || (reply.kind === "forbidden" && answered.entries.length > 1)) {
      this.#unexecuted ??= new Unexecuted();
      this.#unexecuted.add(answered.entries, reply.kind);
    } else if (reply.kind === "forbidden") {
      // Only the operation that has the key is told: others go on.
      const [entry] = answered.entries as readonly [Entry];
      const vote = faultVote("misconfigured", false, reply.message);
      entry.receiver.onVote(entry.index, vote);
      this.#node.onFault(entry, vote);
    } else {
      this.#unexecuted?.onExecuted(answered.entries);
      for (const [at, entry] of answered.entries.entries()) {
        const vote = reply.votes[at];
        if (vote === undefined) answerUnknown(entry, "server", "no reply for this operation");
        else this.#votes.pass(entry, this.#overdue.read(entry.operation, vote));
        if (vote?.kind === "fault") this.#node.onFault(entry, vote);
        if (vote?.kind === "granted" && vote.looks !== undefined)
          this.#node.onNodeTime(vote.looks.nowMs, this.#clock.now() - answered.sentMs);
      }
      if (!reply.isSameIncarnation) this.#node.onForgot();
    }
    if (this.#unexecuted !== undefined && this.#inFlight.length === 0)
      this.#sendAgain(this.#unexecuted);
    if (this.#queue.length > 0) this.#flushSoon();
    else this.#onIdle?.();
  };

  /** Operations of rejected calls, in order, except those that their own release has overtaken. */
  #sendAgain(unexecuted: Unexecuted): void {
    this.#unexecuted = undefined;
    // What a release leaves for others of its process may be over by now.
    const again = unexecuted
      .refuseOvertaken()
      .map((entry) => ({ ...entry, operation: withoutDeferred(entry.operation) }));
    if (unexecuted.lacksScript) {
      this.#resentCount = again.length;
      this.#isScriptLoaded = false;
    }
    this.#queue.unshift(...again);
    this.#heldBackCount = this.#queue.length;
    this.#flush();
  }
}

/**
 * Entries of rejected batches, in order.
 *
 * A rejection has no number. That it was the reply to their call is known once the replies to all calls in flight have
 * arrived, each with its number: until then, they may have been executed.
 */
class Unexecuted {
  readonly entries: Entry[] = [];
  /** One met NOSCRIPT. */
  lacksScript = false;
  /** Owners whose release was executed after a batch that was not. */
  readonly #released = new Set<string>();

  add(entries: readonly Entry[], why: "noScript" | "forbidden"): void {
    if (why === "noScript") {
      this.lacksScript = true;
      this.entries.push(...entries);
    } else {
      const maxBatchSize = Math.ceil(entries.length / MAX_IN_FLIGHT);
      for (const entry of entries) this.entries.push({ ...entry, maxBatchSize });
    }
  }

  /** They were executed, or may be, after the entries here. */
  onExecuted(entries: readonly Entry[]): void {
    for (const { operation } of entries) {
      if (operation.kind === "release") this.#released.add(operation.ownerId);
    }
  }

  /** @returns the entries that no release of their own owner has overtaken, to be sent again */
  refuseOvertaken(): Entry[] {
    return this.entries.filter((entry) => {
      const isOvertaken = this.#released.has(entry.operation.ownerId);
      if (isOvertaken) refuseUnsent(entry, "server", "its release was executed before it");
      return !isOvertaken;
    });
  }
}
