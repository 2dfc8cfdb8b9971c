import type { History, StoreEvent, Violate } from "./history.js";

/** F2: a store that turns smaller tokens away loses no update, and takes tokens in order. */
export function checkFencedStore(history: History, violate: Violate): void {
  lostUpdates(history, violate, "fenced");
  tokensInOrder(history, violate);
}

/** F3: even a store that takes everything loses no update, as long as the timing model holds. */
export function checkUnfencedStore(history: History, violate: Violate): void {
  lostUpdates(history, violate, "unfenced");
}

/** An update is lost when the next one was made from a version that did not have it yet. */
function lostUpdates({ events }: History, violate: Violate, store: StoreEvent["store"]): void {
  const versions = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== "store" || event.store !== store || event.what !== "write") continue;
    const version = versions.get(event.name) ?? 0;
    if (event.base !== version) {
      const message = `${event.ownerId} overwrote version ${version} of ${event.name} from version ${event.base}`;
      violate(event.atUs, message);
    }
    versions.set(event.name, event.base + 1);
  }
}

function tokensInOrder({ events }: History, violate: Violate): void {
  const largest = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== "store" || event.store !== "fenced" || event.what === "reject") continue;
    const { name, token = 0, atUs } = event;
    const before = largest.get(name) ?? 0;
    if (token < before) {
      violate(atUs, `the store took token ${token} after ${before}`);
    }
    largest.set(name, Math.max(before, token));
  }
}
