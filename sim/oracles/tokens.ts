import { getOrAdd } from "./get-or-add.js";
import type { GrantEvent, History, PassedEvent, Violate } from "./history.js";
import { rootOf } from "./names.js";

/**
 * F1: a fencing token never repeats, but for the holds of one owner, and whoever began to ask after another was granted
 * has the larger one. A lock that is passed on was asked for by its first holder. Between two that overlap there is no
 * order to keep: a grant that comes late may carry the smaller token, and the store turns it away.
 */
export function checkTokens({ events }: History, violate: Violate): void {
  const sends = new Map<string, number>();
  const byName = new Map<string, (GrantEvent | PassedEvent)[]>();
  for (const event of events) {
    if (event.kind === "send") {
      // What a waiter leaves with its place asks, too.
      const asking = event.op === "acquire" ? event.ownerId : event.deferred;
      if (asking !== undefined && !sends.has(asking)) sends.set(asking, event.atUs);
    }
    if ((event.kind !== "grant" && event.kind !== "passed") || event.token === undefined) continue;
    const firstSendUs = sends.get(event.ownerId) ?? event.atUs;
    // All permits of a semaphore draw from one counter.
    const name = rootOf(event.name);
    const earlier = getOrAdd(byName, name, () => []);
    for (const grant of earlier) {
      const token = grant.token ?? 0;
      const isPassed = event.kind === "passed" && event.ownerId === grant.ownerId;
      if (token === event.token) {
        // Several permits are one lock, and so are the holds of one owner.
        if (!isPassed && isOne(event, grant)) continue;
        const message = `token ${token} of ${name} was given to ${grant.ownerId} and ${event.ownerId}`;
        violate(event.atUs, message);
      } else if ((isPassed || firstSendUs >= grant.atUs) && event.token < token) {
        const message = `${event.ownerId} asked after ${grant.ownerId} was granted ${token}, and has ${event.token}`;
        violate(event.atUs, message);
      }
    }
    earlier.push(event);
  }
}

function isOne(event: GrantEvent | PassedEvent, other: GrantEvent | PassedEvent): boolean {
  if (event.ownerId === other.ownerId) return true;
  const owner = event.kind === "grant" ? event.owner : undefined;
  return owner !== undefined && other.kind === "grant" && owner === other.owner;
}
