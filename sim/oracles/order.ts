import type { CallEvent, History, Violate } from "./history.js";

/**
 * W1: of the `fair` acquires of one process for one name, none is granted while an earlier one still waits. A single
 * attempt without waiting has no place in a wait queue. Readers may overtake readers, since they do not exclude each
 * other.
 */
export function checkOrder({ events }: History, violate: Violate): void {
  /** The waiting acquires, in order of arrival. */
  const waiting = new Map<number, CallEvent>();
  for (const event of events) {
    if (event.kind === "process" && event.what === "crash") {
      for (const [number, { process }] of waiting) {
        if (process === event.process) waiting.delete(number);
      }
    } else if (event.kind === "call" && event.isFair === true && event.waitMs !== 0) {
      waiting.set(event.call, event);
    } else if (event.kind === "settle") {
      const call = waiting.get(event.call);
      if (call === undefined) continue;
      waiting.delete(event.call);
      // An owner that already holds the name overtakes all waiters.
      if (event.result !== "granted" || call.owner !== undefined) continue;
      const { process, name, mode } = call;
      for (const other of waiting.values()) {
        if (other.process !== process || other.name !== name || other.call > call.call) continue;
        if (mode === "shared" && other.mode === "shared") continue;
        const message = `call ${call.call} of ${process} got ${name} before call ${other.call}, which came first`;
        violate(event.atUs, message);
      }
    }
  }
}
