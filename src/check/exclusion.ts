import type { GrantEvent, History, Violation } from "./history.js";
import { Thefts } from "./thefts.js";

interface Interval {
  readonly grant: GrantEvent;
  readonly endUs: number;
}

/**
 * S1: no two hold a name at once, unless all of them are readers. A belief lasts from its grant up to, and not including, its end:
 * the release call, the end of validity or the loss, whichever comes first. One that another process
 * robs of a key is alone up to then.
 */
export function checkExclusion({ events }: History): Violation[] {
  const ends = new Map<string, number>();
  const grants: GrantEvent[] = [];
  const thefts = new Thefts();
  for (const event of events) {
    thefts.see(event);
    const ended = event.kind === "end" ? event.ownerId : thefts.robbedBy(event);
    if (event.kind === "grant") grants.push(event);
    else if (ended !== undefined && !ends.has(ended)) ends.set(ended, event.atUs);
  }
  const violations: Violation[] = [];
  /** By name, of all and of the exclusive ones: the belief that lasts longest. */
  const latest = new Map<string, Interval>();
  const latestExclusive = new Map<string, Interval>();
  for (const grant of grants.toSorted((a, b) => a.atUs - b.atUs)) {
    const endUs = ends.get(grant.ownerId) ?? Number.POSITIVE_INFINITY;
    const before = (grant.mode === "shared" ? latestExclusive : latest).get(grant.name);
    if (before !== undefined && grant.atUs < before.endUs && grant.atUs < endUs) {
      const both = `${before.grant.process} (${before.grant.ownerId}) and ${grant.process} (${grant.ownerId})`;
      violations.push({ id: "S1", atUs: grant.atUs, message: `both hold ${grant.name}: ${both}` });
    }
    keepLater(latest, { grant, endUs });
    if (grant.mode !== "shared") keepLater(latestExclusive, { grant, endUs });
  }
  return violations;
}

function keepLater(latest: Map<string, Interval>, interval: Interval): void {
  const { name } = interval.grant;
  const before = latest.get(name);
  if (before === undefined || interval.endUs > before.endUs) latest.set(name, interval);
}
