import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { AcquireOutcome as AcquireOutcomes } from "../coordinator/acquire.js";
import {
  ClosedError,
  LockContendedError,
  LockLostError,
  QueueFullError,
  QuorumUnreachableError,
  SplitError,
  ValidityExhaustedError,
  WaitTimeoutError,
} from "../api/errors.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { nodeVotes, tallyText } from "../api/tally.js";
import { CHANNELS } from "./channels.js";
import { MAX_ATTEMPTS, type AcquireMessage, type AcquireOutcome } from "./messages.js";
import type { ObservedNodes } from "./telemetry.js";
import { lockMessage } from "./translate.js";

/** The part of a lock that is published. */
interface GrantedLock {
  readonly remainingMs: number;
  readonly fencingToken: number | undefined;
}

/** One acquire, from the call to its outcome, as published on `quorate:acquire`. */
export class AcquireTrace {
  readonly message: AcquireMessage;
  readonly #nodes: ObservedNodes;
  readonly #startMs: number;
  readonly #signal: AbortSignal | undefined;
  /** Its time may be up before another attempt follows: then one of these is the outcome, too. */
  readonly #setbacks = new WeakSet<AttemptFailure>();

  /** @param signal of the caller, whose reason is not an error of ours */
  constructor(
    keys: LockKind,
    waitMs: number,
    nodes: ObservedNodes,
    signal: AbortSignal | undefined,
  ) {
    this.#nodes = nodes;
    this.#startMs = nodes.clock.now();
    this.#signal = signal;
    this.message = {
      ...lockMessage(keys),
      layout: keys.layout,
      owner: keys.owner,
      waitMs,
      reentrant: false,
      attemptCount: 0,
      attempts: [],
      outcome: undefined,
      waitedMs: 0,
      fencingToken: undefined,
      validMs: undefined,
    };
  }

  /** An attempt failed, and another will follow if there is time. */
  readonly onSetback = (failure: AttemptFailure): void => {
    this.message.attemptCount++;
    this.#setbacks.add(failure);
    this.#list(failure);
  };

  /** The outcome of the last attempt; its lock or its error follows. */
  onOutcome(outcome: AcquireOutcomes, attemptCount: number): void {
    this.message.attemptCount = attemptCount;
    const isFailed = outcome.kind !== "granted" && outcome.kind !== "aborted";
    if (isFailed && !this.#setbacks.has(outcome)) this.#list(outcome);
  }

  #list({ kind, votes }: AttemptFailure): void {
    const { attempts } = this.message;
    // An attempt that was not admitted has asked no node.
    if (kind === "queued") return;
    const tally = tallyText(nodeVotes(this.#nodes.names, votes));
    if (attempts.length === MAX_ATTEMPTS) attempts.shift();
    attempts.push({ outcome: kind, tally, atMs: this.#nodes.clock.wallUs() / 1_000 });
  }

  onGranted({ remainingMs, fencingToken }: GrantedLock): void {
    Object.assign(this.message, { fencingToken, validMs: remainingMs });
    this.#end("granted");
  }

  onError(error: unknown): void {
    this.message.error = error;
    CHANNELS.acquire.error.publish(this.message);
    this.#end(outcomeOf(error, this.#signal));
  }

  #end(outcome: AcquireOutcome): void {
    const { asyncStart, asyncEnd } = CHANNELS.acquire;
    this.message.outcome = outcome;
    this.message.waitedMs = this.#nodes.clock.now() - this.#startMs;
    asyncStart.publish(this.message);
    asyncEnd.publish(this.message);
  }
}

/** The result of `ask`, which runs within the stores that are bound to the channel, published on the way. */
export function traceAcquire<L extends GrantedLock>(
  trace: AcquireTrace,
  ask: () => Promise<L>,
): Promise<L> {
  const { start, end } = CHANNELS.acquire;
  return start.runStores(trace.message, () => {
    const asking = ask();
    end.publish(trace.message);
    return asking.then(
      (lock) => {
        trace.onGranted(lock);
        return lock;
      },
      (error: unknown) => {
        trace.onError(error);
        throw error;
      },
    );
  });
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): AcquireOutcome {
  if (signal?.aborted === true && error === signal.reason) return "aborted";
  if (error instanceof LockContendedError || error instanceof QueueFullError) return "contended";
  if (error instanceof WaitTimeoutError) return "timeout";
  if (error instanceof QuorumUnreachableError) return "unreachable";
  if (error instanceof SplitError) return "split";
  if (error instanceof ValidityExhaustedError) return "exhausted";
  return error instanceof ClosedError || error instanceof LockLostError ? "aborted" : "error";
}
