import {
  companyOf,
  type EndEvent,
  type GrantEvent,
  type History,
  type Violate,
} from "./history.js";
import { Preemptions } from "./preemptions.js";

/** Until when a name is closed to all except its owner. */
interface Closed {
  readonly grant: GrantEvent;
  readonly untilUs: number;
}

/**
 * D1: after a lock with a lock-delay ended without a release, or the close of its manager, nobody is granted the name until the delay has passed
 * since its holder lost it.
 */
export function checkLockDelay(history: History, violate: Violate): void {
  const losses = history.events.filter((event) => event.kind === "lost");
  const closed = new Set(
    losses.flatMap((loss) => (loss.reason === "closed" ? [loss.ownerId] : [])),
  );
  openedTooSoon(history, violate, ({ lockDelayMs = 0 }, end) => {
    if (lockDelayMs === 0 || end === undefined) return undefined;
    if (end.why === "released" || end.why === "given" || closed.has(end.ownerId)) return undefined;
    return end.atUs + lockDelayMs * 1_000;
  });
}

/**
 * D2: nobody else is granted a name before the minimum hold of its lock is over, whatever became of it. Who adopts it, or
 * adopts it from an adopter, is nobody else.
 */
export function checkMinimumHold(history: History, violate: Violate): void {
  openedTooSoon(history, violate, ({ minHoldMs = 0, atUs }) => {
    return minHoldMs === 0 ? undefined : atUs + minHoldMs * 1_000;
  });
}

/** Grants of a name that is still closed by another lock. */
function openedTooSoon(
  { events }: History,
  violate: Violate,
  closedUntilUs: (grant: GrantEvent, end: EndEvent | undefined) => number | undefined,
): void {
  const ends = new Map<string, EndEvent>();
  const grants: GrantEvent[] = [];
  for (const event of events) {
    if (event.kind === "grant") grants.push(event);
    else if (event.kind === "end" && !ends.has(event.ownerId)) ends.set(event.ownerId, event);
  }
  const latest = new Map<string, Closed>();
  const openedUs = openedByForce(events);
  const givers = giversOf(events, ends);
  // What is stolen from an heir is no longer kept closed by who gave it away.
  for (const [heir, atUs] of [...openedUs]) {
    for (let id = givers.get(heir); id !== undefined; id = givers.get(id)) {
      openedUs.set(id, Math.min(atUs, openedUs.get(id) ?? atUs));
    }
  }
  const isHeirOf = ({ ownerId }: GrantEvent, giverId: string): boolean => {
    let id: string | undefined = ownerId;
    while (id !== undefined && id !== giverId) id = givers.get(id);
    return id === giverId;
  };
  for (const grant of grants) {
    const closed = latest.get(grant.name);
    const isOther =
      closed !== undefined &&
      !areTogether(grant, closed.grant) &&
      !isHeirOf(grant, closed.grant.ownerId);
    // Who was robbed before it heard of its own grant comes after nobody.
    const isRobbed = (openedUs.get(grant.ownerId) ?? Number.POSITIVE_INFINITY) <= grant.atUs;
    if (isOther && !isRobbed && grant.atUs < closed.untilUs) {
      const earlyMs = (closed.untilUs - grant.atUs) / 1_000;
      const message = `${grant.ownerId} was granted ${grant.name} ${earlyMs} ms before ${closed.grant.ownerId} left it open`;
      violate(grant.atUs, message);
    }
    const { ownerId } = grant;
    const untilUs = Math.min(
      closedUntilUs(grant, ends.get(ownerId)) ?? 0,
      openedUs.get(ownerId) ?? Number.POSITIVE_INFINITY,
    );
    if (untilUs > (closed?.untilUs ?? 0)) {
      latest.set(grant.name, { grant, untilUs });
    }
  }
}

/** By owner: since when its name was stolen, or ended by force, on some node. Then it does not keep it closed. */
function openedByForce(events: History["events"]): Map<string, number> {
  const preemptions = new Preemptions();
  const openedUs = new Map<string, number>();
  for (const event of events) {
    preemptions.see(event);
    if (event.kind !== "key" || event.before === undefined) continue;
    const isOpened =
      preemptions.isPreempting(event) || preemptions.preemptedBy(event) !== undefined;
    if (isOpened && !openedUs.has(event.before)) openedUs.set(event.before, event.atUs);
  }
  return openedUs;
}

/** By owner: from which it takes over, where that has given its lock away. */
function giversOf(
  events: History["events"],
  ends: ReadonlyMap<string, EndEvent>,
): ReadonlyMap<string, string> {
  const givers = new Map<string, string>();
  for (const event of events) {
    if (event.kind !== "send" || event.previous === undefined) continue;
    if (ends.get(event.previous)?.why === "given") givers.set(event.ownerId, event.previous);
  }
  return givers;
}

/** Those that may hold it at the same time: readers, and holds of one owner. */
function areTogether(one: GrantEvent, other: GrantEvent): boolean {
  const company = companyOf(one);
  return company !== undefined && company === companyOf(other);
}
