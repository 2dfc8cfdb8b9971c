import type { SendEvent } from "./oracles/history.js";
import type { NodePort, VoteReceiver } from "../src/coordinator/ports.js";
import { JOIN_ONLY } from "../src/kinds/owned.js";
import type { LockKind } from "../src/protocol/lock-kind.js";
import type { AnyOperation, Operation, Vote } from "../src/protocol/operation.js";
import type { DeferredAcquire } from "../src/protocol/node-queue.js";
import { getOrAdd } from "./oracles/get-or-add.js";
import { historyName } from "./history-name.js";
import type { PlaceRecorder } from "./place-recorder.js";
import type { Recorder } from "./recorder.js";
import { KEY_PREFIX } from "./watched-keys.js";
import type { SimProcess } from "./sim-process.js";

/** Numbers the rounds of a run: all operations of one round are one object. */
export class RoundNumbers {
  readonly #numbers = new WeakMap<Operation, number>();
  /** By owner of a deferred acquire: the life of its key, ms, and when it was left first. */
  readonly deferred = new Map<string, { readonly ttlMs: number; readonly askedUs: number }>();
  #last = 0;

  onDeferred({ ownerId, ttlMs }: DeferredAcquire, askedUs: number): void {
    getOrAdd(this.deferred, ownerId, () => ({ ttlMs, askedUs }));
  }

  of(operation: Operation): number {
    return getOrAdd(this.#numbers, operation, () => this.next());
  }

  next(): number {
    return ++this.#last;
  }
}

/** Records what the coordinator asks a node, and the answers. */
export function recordingNode(
  inner: NodePort,
  index: number,
  process: SimProcess,
  rounds: RoundNumbers,
  record: Recorder,
  places: PlaceRecorder,
  via?: SendEvent["via"],
): NodePort {
  return {
    name: inner.name,
    submit(operation: Operation, receiver: VoteReceiver, mayHold: boolean): void {
      const {
        kind: op,
        keys,
        ownerId,
        ttlMs = 0,
        fence,
        previousId,
        partIds,
        preempts,
        waiter,
      }: AnyOperation = operation;
      places.onSent(operation, process.name);
      if (waiter?.deferred) rounds.onDeferred(waiter.deferred, places.nowUs);
      // These concern many names and no lock of their own. `expire` is sent by channels, not by callers.
      if (op === "refresh" || op === "expire" || op === "watch") {
        inner.submit(operation, receiver, mayHold);
        return;
      }
      const round = rounds.of(operation);
      const name = historyName(keys);
      // Most of a history are these two: spelled out, each has one shape for the engine.
      record({
        kind: "send",
        process: process.name,
        node: index,
        round,
        op,
        name,
        ownerId,
        ttlMs,
        fence,
        isAgain: isJoinOnly(keys) && op === "acquire" ? true : undefined,
        previous: previousId,
        parts: partIds,
        deferred: waiter?.deferred?.ownerId,
        isPreempting: preempts,
        ticket: keys.permits && waiter?.ticket,
        permits: keys.permits?.size.current.count,
        mode: keys.mode === "shared" ? "shared" : undefined,
        via,
        leaseMs: process.peekLeaseMs(),
      });
      const onVote = (at: number, vote: Vote): void => {
        const { kind } = vote;
        record({
          kind: "vote",
          process: process.name,
          node: index,
          round,
          op,
          name,
          ownerId,
          vote: kind,
          fence: kind === "granted" ? vote.fence : 0,
          fault: kind === "fault" ? vote.fault : undefined,
          sent: kind === "fault" ? vote.sent : undefined,
          holder: kind === "refused" ? vote.holder : undefined,
          isForeign: kind === "refused" && vote.reason === "foreign" ? true : undefined,
          isEnded: kind === "refused" && vote.reason === "ended" ? true : undefined,
        });
        receiver.onVote(at, vote);
      };
      inner.submit(operation, { onVote }, mayHold);
    },
    voteOf(grant, ownerId) {
      const dated = inner.voteOf(grant, ownerId);
      if (dated === undefined) return undefined;
      record({
        kind: "vote",
        process: process.name,
        node: index,
        round: rounds.next(),
        op: "acquire",
        name: grant.lockKey.replace(KEY_PREFIX, ""),
        ownerId,
        vote: "granted",
        fence: dated.vote.fence,
        told: { ttlMs: 0, askedUs: 0, ...rounds.deferred.get(ownerId), sentMs: dated.sentMs },
      });
      return dated;
    },
  };
}

/** Whether a lock may only be joined by its owner, as nodes are told. */
export function isJoinOnly({ scriptArgs }: Pick<LockKind, "scriptArgs">): boolean {
  return scriptArgs.at(-1) === JOIN_ONLY;
}
