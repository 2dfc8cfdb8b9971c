import type { History, StoreEvent, Violation } from "./history.js";

/** F2: a store that turns smaller tokens away loses no update, and takes tokens in order. */
export function checkFencedStore(history: History): Violation[] {
  return [...lostUpdates(history, "fenced", "F2"), ...tokensInOrder(history)];
}

/** F3: even a store that takes everything loses no update, as long as the timing model holds. */
export function checkUnfencedStore(history: History): Violation[] {
  return lostUpdates(history, "unfenced", "F3");
}

/** An update is lost when the next one was made from a version that did not have it yet. */
function lostUpdates(
  { events }: History,
  store: StoreEvent["store"],
  id: "F2" | "F3",
): Violation[] {
  const versions = new Map<string, number>();
  const violations: Violation[] = [];
  for (const event of events) {
    if (event.kind !== "store" || event.store !== store || event.what !== "write") continue;
    const version = versions.get(event.name) ?? 0;
    if (event.base !== version) {
      const message = `${event.ownerId} overwrote version ${version} of ${event.name} from version ${event.base}`;
      violations.push({ id, atUs: event.atUs, message });
    }
    versions.set(event.name, event.base + 1);
  }
  return violations;
}

function tokensInOrder({ events }: History): Violation[] {
  const largest = new Map<string, number>();
  const violations: Violation[] = [];
  for (const event of events) {
    if (event.kind !== "store" || event.store !== "fenced" || event.what === "reject") continue;
    const { name, token = 0, atUs } = event;
    const before = largest.get(name) ?? 0;
    if (token < before) {
      violations.push({ id: "F2", atUs, message: `the store took token ${token} after ${before}` });
    }
    largest.set(name, Math.max(before, token));
  }
  return violations;
}
