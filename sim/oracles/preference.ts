import type { CallEvent, History, Violate } from "./history.js";

/**
 * W2: once a quorum of nodes is healthy, a waiting writer gets the lock in bounded time despite a stream of readers.
 * (Without readers, this is L2.)
 */
export function checkPreference({ events }: History, violate: Violate): void {
  const writers = new Map<number, CallEvent>();
  let healedUs: number | undefined;
  let readerCount = 0;
  let isWritten = false;
  for (const event of events) {
    if (event.kind === "phase" && event.what === "heal") healedUs = event.atUs;
    if (healedUs === undefined) continue;
    if (event.kind === "call" && event.what === "acquire") {
      if (event.mode === "shared") readerCount++;
      else writers.set(event.call, event);
    } else if (event.kind === "settle" && writers.has(event.call)) {
      isWritten ||= event.result === "granted";
    } else if (event.kind === "phase" && event.what === "progress") {
      if (isWritten || writers.size === 0 || readerCount === 0) return;
      const waited = ((event.atUs - healedUs) / 1_000).toFixed(0);
      const message = `no writer was granted within ${waited} ms of healing, beside ${readerCount} readers`;
      violate(event.atUs, message);
      return;
    }
  }
}
