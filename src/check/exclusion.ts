import type { GrantEvent, History, Violation } from "./history.js";

interface Interval {
  readonly grant: GrantEvent;
  readonly endUs: number;
}

/**
 * S1: no two hold a name at once. A belief lasts from its grant up to, and not including, its end:
 * the release call, the end of validity or the loss, whichever comes first.
 */
export function checkExclusion({ events }: History): Violation[] {
  const ends = new Map<string, number>();
  const grants: GrantEvent[] = [];
  for (const event of events) {
    if (event.kind === "grant") grants.push(event);
    else if (event.kind === "end" && !ends.has(event.ownerId)) ends.set(event.ownerId, event.atUs);
  }
  const violations: Violation[] = [];
  const latest = new Map<string, Interval>();
  for (const grant of grants.toSorted((a, b) => a.atUs - b.atUs)) {
    const endUs = ends.get(grant.ownerId) ?? Number.POSITIVE_INFINITY;
    const before = latest.get(grant.name);
    if (before !== undefined && grant.atUs < before.endUs && grant.atUs < endUs) {
      const both = `${before.grant.process} (${before.grant.ownerId}) and ${grant.process} (${grant.ownerId})`;
      violations.push({ id: "S1", atUs: grant.atUs, message: `both hold ${grant.name}: ${both}` });
    }
    if (before === undefined || endUs > before.endUs) latest.set(grant.name, { grant, endUs });
  }
  return violations;
}
