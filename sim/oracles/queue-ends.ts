import {
  waitQueueOf,
  type CallEvent,
  type History,
  type HistoryEvent,
  type SettleEvent,
  type Violate,
} from "./history.js";
import { isPermit, rootsOf } from "./names.js";
import { PLACE_US } from "./waiting.js";

/** Until what it left on its way has reached the nodes, and for clocks of nodes that differ. */
const SLACK_US = 2_000_000;

interface Wait {
  readonly call: CallEvent;
  /** It may have places until then. */
  untilUs: number;
}

/**
 * L8: a call that is refused because so many wait is told a number that is no less than it allows, and no more than
 * there are: the other calls of its process, and each other process as often as it can be in a queue. (That it is
 * refused only while somebody has the name is L6 and E1.)
 */
export function checkQueueEnds({ events }: History, violate: Violate): void {
  const waits = new Waits();
  for (const event of events) {
    const message = waits.see(event);
    if (message !== undefined) violate(event.atUs, message);
  }
}

class Waits {
  readonly #waits = new Map<number, Wait>();

  /** What is wrong with the event, if anything is. */
  see(event: HistoryEvent): string | undefined {
    if (event.kind === "call" && event.what === "acquire") {
      this.#waits.set(event.call, { call: event, untilUs: Number.POSITIVE_INFINITY });
    } else if (event.kind === "process" && event.what === "crash") {
      for (const { call } of this.#waits.values()) {
        if (call.process === event.process) this.#end(call.call, event.atUs);
      }
    } else if (event.kind === "settle") {
      const message = this.#judge(event);
      // A lock may stand in the queues of those that refused it, for as long as it is held.
      if (event.result !== "granted") this.#end(event.call, event.atUs);
      return message;
    }
    return undefined;
  }

  #end(call: number, atUs: number): void {
    const wait = this.#waits.get(call);
    if (wait?.untilUs === Number.POSITIVE_INFINITY) wait.untilUs = atUs + PLACE_US + SLACK_US;
  }

  #judge({ call, waitingCount }: SettleEvent): string | undefined {
    const asked = this.#waits.get(call)?.call;
    if (asked === undefined || waitingCount === undefined) return undefined;
    const { name, process, maxWaiters = Number.POSITIVE_INFINITY } = asked;
    const who = `acquire of ${name} by ${process}`;
    if (waitingCount < maxWaiters)
      return `${who} was refused as ${waitingCount} wait, and it allows ${maxWaiters}`;
    const possibleCount = this.#possibleCount(asked);
    return waitingCount > possibleCount
      ? `${who} was told that ${waitingCount} wait, who are ${possibleCount} at most`
      : undefined;
  }

  #possibleCount(asked: CallEvent): number {
    const names = rootsOf(asked.name);
    const possible = new Set<string>();
    for (const { call, untilUs } of this.#waits.values()) {
      const { process, name, mode, hasOwnOptions, waitMs = Number.POSITIVE_INFINITY } = call;
      if (call === asked || waitMs === 0 || untilUs < asked.atUs) continue;
      const isOwn = process === asked.process;
      const isSame = isOwn && waitQueueOf(name) === waitQueueOf(asked.name);
      if (!isSame && !rootsOf(name).some((each) => names.includes(each))) continue;
      // With options of its own it may have a place of its own.
      const isOne = isOwn || hasOwnOptions === true;
      possible.add(isOne ? `call ${call.call}` : `${process} ${mode} ${isPermit(name)}`);
    }
    return possible.size;
  }
}
