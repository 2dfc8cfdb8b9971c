import type { Clock } from "../coordinator/ports.js";
import type { PipelineEvents, PipelineSettings } from "./pipeline-port.js";
import { batchLength, isSendable, MAX_BATCH_SIZE, singleNodePart } from "./batching.js";
import { answerUnknown, entryWithoutReceiver, failCall, refuseDue, type Entry } from "./entry.js";
import { outOfStep, type NumberedConnection } from "./out-of-step.js";
import { OverdueHolders } from "./overdue-holders.js";
import type { BatchReply, ConnectionFailure } from "./transport.js";
import { Unexecuted } from "./unexecuted.js";
import { Suspicion, type WatchedCalls } from "./suspicion.js";

/** Maximum number of calls in flight to one node: beyond it, operations gather into fuller batches. */
const MAX_IN_FLIGHT = 16;

interface InFlight {
  entries: readonly Entry[];
  readonly sentMs: number;
}

/**
 * Operations on one connection: all of one tick are sent as one script call, in order.
 *
 * The order survives NOSCRIPT: nothing new is sent, the replies are drained, operations that were not executed are
 * sent again in order, with the script, and then sending resumes.
 */
export class Pipeline implements WatchedCalls {
  connection: NumberedConnection | undefined;
  /** Incarnation of the node that the sender knows. Set by {@link onRecord}. */
  recordId = "";
  readonly #clock: Clock;
  readonly #suspicion: Suspicion;
  readonly #events: PipelineEvents;
  readonly #overdue: OverdueHolders;
  readonly #nodeCount: number;
  #queue: Entry[] = [];
  /** Number of operations at its head that waited for the node; all others waited only for the end of this tick. */
  #heldBackCount = 0;
  /** Number of operations at its head that have met NOSCRIPT. */
  #resentCount = 0;
  #inFlight: InFlight[] = [];
  #isFlushDue = false;
  #isScriptLoaded = false;
  readonly #unexecuted = new Unexecuted();
  #onIdle: (() => void) | undefined;

  constructor(
    clock: Clock,
    { nodeCount, driftFactor, suspectAfterMs, giveUpAfterMs }: PipelineSettings,
    events: PipelineEvents,
  ) {
    this.#clock = clock;
    this.#nodeCount = nodeCount;
    this.#suspicion = new Suspicion(clock, suspectAfterMs, giveUpAfterMs, this);
    this.#overdue = new OverdueHolders(clock, driftFactor);
    this.#events = events;
  }

  /** Operations have been unanswered for so long that others should not wait for the node. */
  get isSuspected(): boolean {
    return this.#suspicion.isSuspected;
  }

  /** Read by the suspicion. */
  get oldestSentMs(): number | undefined {
    return this.#inFlight[0]?.sentMs;
  }

  /** Called by the suspicion. */
  onSuspicion(): void {
    this.#events.onSuspicion();
  }

  /** Called by the suspicion. */
  onBroken(failure: ConnectionFailure): void {
    this.#events.onBroken(failure);
  }

  /** The node has shown its record: answers about its keys under another record may not hold for the current keys. */
  onRecord(id: string): void {
    if (id !== this.recordId) this.#overdue.clear();
    this.recordId = id;
  }

  /** @param wasHeldBack it has waited for the node */
  push(entry: Entry, wasHeldBack = false): void {
    const expiry = this.#overdue.expiryOf(entry.operation);
    // So that an acquire finds the keys of overdue holders free.
    if (expiry !== undefined) this.push(entryWithoutReceiver(expiry, entry.index), wasHeldBack);
    if (wasHeldBack && this.#heldBackCount === this.#queue.length) this.#heldBackCount++;
    this.#queue.push(entry);
    if (!wasHeldBack && this.#isFull) this.#flushFull();
    this.#flushSoon();
  }

  get #isFull(): boolean {
    const { length } = this.#queue;
    if (this.#nodeCount > 1) return length >= MAX_BATCH_SIZE;
    const sent = this.#inFlight.reduce((count, { entries }) => count + entries.length, 0);
    return length >= singleNodePart(length + sent);
  }

  /** Nothing is queued or in flight. */
  get isIdle(): boolean {
    return this.#queue.length + this.#inFlight.length + this.#unexecuted.size === 0;
  }

  /** Resolves when it is next idle, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(timeoutMs, resolve);
      this.#onIdle = () => {
        timer.cancel();
        resolve();
      };
      this.#tellIdle();
    });
  }

  /** The connection has closed: returns what was sent and what was not, both in order. */
  reset(): { sent: Entry[]; unsent: Entry[] } {
    const sent = this.#unexecuted.takeUnknown();
    for (const { entries } of this.#inFlight) sent.push(...entries);
    const unsent = this.#queue;
    this.connection = undefined;
    [this.#queue, this.#inFlight] = [[], []];
    [this.#heldBackCount, this.#resentCount] = [0, 0];
    this.#isScriptLoaded = false;
    this.#suspicion.reset();
    this.#tellIdle();
    return { sent, unsent };
  }

  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    this.#clock.defer(this.#flushNow);
  }

  readonly #flushNow = (): void => {
    this.#isFlushDue = false;
    this.#flush();
  };

  /** From within `submit`, where no receiver may be called: only if there is nothing to refuse. */
  #flushFull(): void {
    const now = this.#clock.now();
    const problem = this.#events.acquireProblem();
    if (this.#queue.every((entry) => isSendable(entry, now, problem))) this.#flush();
  }

  #flush(): void {
    this.#sendQueue();
    this.#heldBackCount = this.#queue.length;
    this.#tellIdle();
  }

  #sendQueue(): void {
    if (this.#unexecuted.size > 0) return;
    while (this.#queue.length > 0 && this.#inFlight.length < MAX_IN_FLIGHT) {
      if (this.connection === undefined) return;
      const now = this.#clock.now();
      const due = this.#queue.splice(0, batchLength(this.#queue));
      const heldBackCount = Math.min(this.#heldBackCount, due.length);
      this.#heldBackCount -= heldBackCount;
      // With its hash alone, a server that loses the script again and again would execute nothing.
      if (this.#resentCount > 0) this.#isScriptLoaded = false;
      this.#resentCount = Math.max(0, this.#resentCount - due.length);
      const problem = this.#events.acquireProblem();
      const entries = due.filter((entry) => isSendable(entry, now, problem));
      if (entries.length > 0) this.#send(this.connection, entries, now);
      if (entries.length === due.length) continue;
      for (const [index, entry] of due.entries()) {
        if (isSendable(entry, now, problem)) continue;
        refuseDue(entry, now, problem, index < heldBackCount);
      }
    }
  }

  #send(connection: NumberedConnection, entries: readonly Entry[], sentMs: number): void {
    const inFlight: InFlight = { entries, sentMs };
    this.#inFlight.push(inFlight);
    this.#suspicion.watch();
    const batch = {
      operations: entries.map(({ operation }) => operation),
      recordId: this.recordId,
      number: connection.numbers.take(entries.length),
      withScript: !this.#isScriptLoaded,
    };
    this.#isScriptLoaded = true;
    connection.wire.send(batch, (reply) => {
      if (this.connection !== connection) return;
      const failure = outOfStep(batch, reply);
      // Everything in flight is answered, as unknown, when the connection closes.
      if (failure !== undefined) this.#events.onBroken(failure);
      else this.#onReply(inFlight, reply);
    });
  }

  #onReply(answered: InFlight, reply: BatchReply): void {
    if (reply.kind === "error") {
      // The node is in trouble: the connection is closed, and what is left in flight is answered when it closes. A
      // release that is owed stays in flight, to be sent again on the next one.
      answered.entries = failCall(answered.entries, reply);
      const { message, isMisconfigured = false } = reply;
      this.#events.onBroken({ message, isMisconfigured });
      return;
    }
    this.#inFlight = this.#inFlight.filter((inFlight) => inFlight !== answered);
    this.#suspicion.trust();
    if (reply.kind === "noScript") {
      this.#unexecuted.add(answered.entries);
    } else {
      if (this.#unexecuted.size > 0) this.#unexecuted.onExecuted(answered.entries);
      answered.entries.forEach((entry, index) => {
        const vote = reply.votes[index];
        if (vote === undefined) answerUnknown(entry, "server", "no reply for this operation");
        else this.#events.onVote(entry, this.#overdue.read(entry.operation, vote));
        if (vote?.kind === "granted" && vote.looks !== undefined)
          this.#events.onNodeTime(vote.looks.nowMs, this.#clock.now() - answered.sentMs);
      });
      if (!reply.isSameIncarnation) this.#events.onForgot();
    }
    if (this.#unexecuted.size > 0 && this.#inFlight.length === 0) this.#sendAgain();
    if (this.#queue.length > 0) this.#flushSoon();
    else this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#onIdle === undefined || !this.isIdle) return;
    const callback = this.#onIdle;
    this.#onIdle = undefined;
    callback();
  }

  /** Operations rejected by NOSCRIPT, in order, except those that their own release has overtaken. */
  #sendAgain(): void {
    const again = this.#unexecuted.takeAll();
    this.#resentCount = again.length;
    this.#isScriptLoaded = false;
    this.#queue.unshift(...again);
    this.#heldBackCount = this.#queue.length;
    this.#flush();
  }
}
