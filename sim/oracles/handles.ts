import type { History, SendEvent, Violate } from "./history.js";

/**
 * J1: a lock with several handles is released with the last of them: no release is sent while one is left, unless the
 * lock is lost or given up as a whole, and one is sent then. No handle is held after its own release.
 */
export function checkHandles({ events }: History, violate: Violate): void {
  const lostUs = new Map<string, number>();
  /** When it was first released. */
  const freedUs = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "lost") lostUs.set(event.ownerId, event.atUs);
    const ownerId = event.kind === "send" ? freedBy(event) : undefined;
    if (ownerId !== undefined && !freedUs.has(ownerId)) freedUs.set(ownerId, event.atUs);
  }
  const open = new Map<string, Set<number>>();
  const givenUp = new Set<string>();
  /** Its process goes on with it: with a handle that is still to come. */
  const passedOn = new Set<string>();
  for (const event of events) {
    const { atUs } = event;
    const say = (message: string): void => {
      violate(atUs, message);
    };
    const isLost = (ownerId: string): boolean => (lostUs.get(ownerId) ?? Infinity) <= atUs;
    if (event.kind === "passed") {
      passedOn.add(event.ownerId);
      givenUp.delete(event.ownerId);
    } else if (event.kind === "call" && event.what === "release" && event.ownerId !== undefined) {
      givenUp.add(event.ownerId);
    } else if (event.kind === "send" && event.op === "revoke") {
      // An operator releases it as a whole.
      givenUp.add(event.ownerId);
    } else if (event.kind === "send") {
      const ownerId = freedBy(event);
      if (ownerId === undefined || givenUp.has(ownerId) || isLost(ownerId)) continue;
      const count = open.get(ownerId)?.size ?? 0;
      if (count === 0) continue;
      open.delete(ownerId);
      say(`${ownerId} was freed, and has ${count} handles that are not released`);
    } else if (event.kind === "handle") {
      const { ownerId, handle, what, isHeld } = event;
      const handles = open.get(ownerId);
      if (what === "join") open.set(ownerId, (handles ?? new Set()).add(handle));
      if (what === "join") continue;
      if (isHeld) say(`handle ${handle} of ${ownerId} is held after its own release`);
      const wasOpen = handles?.delete(handle) === true;
      const isPassedOn = passedOn.delete(ownerId);
      const isLast = wasOpen && handles?.size === 0 && !isLost(ownerId) && !isPassedOn;
      if (isLast && (freedUs.get(ownerId) ?? Infinity) > atUs) {
        say(`the last handle of ${ownerId} was released, and the lock was not`);
      }
    }
  }
}

/** The owner whose lock the operation releases, or hands over. */
function freedBy({ op, ownerId, previous }: SendEvent): string | undefined {
  return op === "release" ? ownerId : previous;
}
