import type { HistoryEvent, SendEvent } from "./oracles/history.js";
import type { NodePort, VoteReceiver } from "../src/coordinator/ports.js";
import type { Operation, Vote } from "../src/protocol/operation.js";
import { historyName } from "./history-name.js";
import type { PlaceRecorder } from "./place-recorder.js";
import type { SimProcess } from "./sim-process.js";

/** Numbers the rounds of a run: all operations of one round are one object. */
export class RoundNumbers {
  readonly #numbers = new WeakMap<Operation, number>();
  #last = 0;

  of(operation: Operation): number {
    let number = this.#numbers.get(operation);
    if (number === undefined) {
      number = ++this.#last;
      this.#numbers.set(operation, number);
    }
    return number;
  }
}

/** Records what the coordinator asks a node, and the answers. */
export function recordingNode(
  inner: NodePort,
  index: number,
  process: SimProcess,
  rounds: RoundNumbers,
  nowUs: () => number,
  record: (event: HistoryEvent) => void,
  places: PlaceRecorder,
  via?: SendEvent["via"],
): NodePort {
  return {
    name: inner.name,
    submit(operation: Operation, receiver: VoteReceiver, mayHold: boolean): void {
      const { kind: op, ownerId, ttlMs, fence } = operation;
      const inbox = op === "refresh" ? ownerId : operation.waiter?.inbox;
      if (inbox !== undefined) places.learn(inbox, process.name);
      // These concern many names and no lock of their own. `expire` is sent by channels, not by callers.
      if (op === "refresh" || op === "expire") {
        inner.submit(operation, receiver, mayHold);
        return;
      }
      const previous = operation.previous?.ownerId;
      const about = {
        process: process.name,
        node: index,
        round: rounds.of(operation),
        op,
        name: historyName(operation.keys),
        ownerId,
      };
      const leaseMs = process.peekLeaseMs();
      const preemption = operation.preempts === true ? { isPreempting: true } : {};
      const again = operation.keys.isJoinOnly && op === "acquire" ? { isAgain: true } : {};
      const reading = operation.keys.mode === "shared" ? { mode: "shared" as const } : {};
      const how = { previous, ...preemption, ...again, ...reading, ...(via && { via }) };
      record({ kind: "send", atUs: nowUs(), ...about, ttlMs, fence, ...how, leaseMs });
      const onVote = (at: number, vote: Vote): void => {
        const fence = vote.kind === "granted" ? vote.fence : 0;
        const why = vote.kind === "fault" ? { fault: vote.fault, sent: vote.sent } : {};
        const isEnded = vote.kind === "refused" && vote.reason === "ended";
        const isForeign = vote.kind === "refused" && vote.reason === "foreign";
        const how = { ...why, ...(isEnded && { isEnded }), ...(isForeign && { isForeign }) };
        record({ kind: "vote", atUs: nowUs(), ...about, vote: vote.kind, fence, ...how });
        receiver.onVote(at, vote);
      };
      inner.submit(operation, { onVote }, mayHold);
    },
  };
}
