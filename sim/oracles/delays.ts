import {
  companyOf,
  type EndEvent,
  type GrantEvent,
  type History,
  type Violation,
} from "./history.js";

/** Until when a name is closed to all except its owner, and why. */
interface Closed {
  readonly id: "D1" | "D2";
  readonly grant: GrantEvent;
  readonly untilUs: number;
}

/**
 * D1: after a lock with a lock-delay ended without a release, nobody is granted the name until the delay has passed
 * since its holder lost it.
 */
export function checkLockDelay(history: History): Violation[] {
  return openedTooSoon(history, ({ lockDelayMs = 0 }, end) => {
    if (lockDelayMs === 0 || end === undefined) return undefined;
    if (end.why === "released" || end.why === "given") return undefined;
    return { id: "D1", untilUs: end.atUs + lockDelayMs * 1_000 };
  });
}

/**
 * D2: nobody else is granted a name before the minimum hold of its lock is over, whatever became of it, unless it was
 * handed over: then the adopter decides.
 */
export function checkMinimumHold(history: History): Violation[] {
  return openedTooSoon(history, ({ minHoldMs = 0, atUs }, end) => {
    if (minHoldMs === 0 || end?.why === "given") return undefined;
    return { id: "D2", untilUs: atUs + minHoldMs * 1_000 };
  });
}

/** Grants of a name that is still closed by another lock. */
function openedTooSoon(
  { events }: History,
  closedBy: (
    grant: GrantEvent,
    end: EndEvent | undefined,
  ) => Pick<Closed, "id" | "untilUs"> | undefined,
): Violation[] {
  const ends = new Map<string, EndEvent>();
  const grants: GrantEvent[] = [];
  for (const event of events) {
    if (event.kind === "grant") grants.push(event);
    else if (event.kind === "end" && !ends.has(event.ownerId)) ends.set(event.ownerId, event);
  }
  const latest = new Map<string, Closed>();
  const violations: Violation[] = [];
  for (const grant of grants) {
    const closed = latest.get(grant.name);
    if (closed !== undefined && grant.atUs < closed.untilUs && !areTogether(grant, closed.grant)) {
      const earlyMs = (closed.untilUs - grant.atUs) / 1_000;
      const message = `${grant.ownerId} was granted ${grant.name} ${earlyMs} ms before ${closed.grant.ownerId} left it open`;
      violations.push({ id: closed.id, atUs: grant.atUs, message });
    }
    const own = closedBy(grant, ends.get(grant.ownerId));
    if (own !== undefined && own.untilUs > (closed?.untilUs ?? 0)) {
      latest.set(grant.name, { ...own, grant });
    }
  }
  return violations;
}

/** Those that may hold it at the same time: readers, and holds of one owner. */
function areTogether(one: GrantEvent, other: GrantEvent): boolean {
  const company = companyOf(one);
  return company !== undefined && company === companyOf(other);
}
