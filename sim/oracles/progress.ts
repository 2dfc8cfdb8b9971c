import type { History, Violate } from "./history.js";

/** L2: once a quorum of nodes is healthy, some waiter gets the lock in bounded time. */
export function checkProgress({ events }: History, violate: Violate): void {
  let healedUs: number | undefined;
  let waiterCount = 0;
  let isGranted = false;
  for (const event of events) {
    if (event.kind === "phase" && event.what === "heal") healedUs = event.atUs;
    if (healedUs === undefined) continue;
    if (event.kind === "call" && event.what === "acquire") waiterCount++;
    else if (event.kind === "grant") isGranted = true;
    else if (event.kind === "phase" && event.what === "progress") {
      if (isGranted || waiterCount === 0) return;
      const waited = ((event.atUs - healedUs) / 1_000).toFixed(0);
      const message = `none of ${waiterCount} waiters was granted within ${waited} ms of healing`;
      violate(event.atUs, message);
      return;
    }
  }
}
