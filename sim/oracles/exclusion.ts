import { getOrAdd } from "./get-or-add.js";
import {
  companyOf,
  type ForeignEvent,
  type GrantEvent,
  type History,
  type HistoryEvent,
  type Violate,
} from "./history.js";
import { Preemptions } from "./preemptions.js";

type Grant = GrantEvent | ForeignEvent;

interface Interval {
  readonly grant: Grant;
  readonly endUs: number;
}

/**
 * S1: no two clients hold a name at once, unless all of them are readers, or all hold it for one owner. A hold lasts
 * from its grant up to, and not including, its end: the release call, the end of validity or the loss, whichever
 * comes first. If another process preempts a key of it, exclusion is only promised until then.
 *
 * Code that is not ours is one company: whether it excludes itself is not judged, nor what happens to a client of it
 * whose key another of them took.
 */
export function checkExclusion({ events }: History, violate: Violate): void {
  const ends = new Map<string, number>();
  const grants: Grant[] = [];
  const preemptions = new Preemptions();
  // Known from the beginning: its key may be taken before it has heard of its own grant.
  const theirs = events.filter((event) => event.kind === "foreign");
  const foreigners = new Set(theirs.map(({ ownerId }) => ownerId));
  for (const event of events) {
    preemptions.see(event);
    const ended = endedBy(event, foreigners) ?? preemptions.preemptedBy(event);
    if (event.kind === "grant" || (event.kind === "foreign" && event.what === "grant")) {
      grants.push(event);
    }
    if (ended !== undefined && !ends.has(ended)) ends.set(ended, event.atUs);
  }
  /** By name and company: the hold that lasts longest. */
  const latest = new Map<string, Map<string | undefined, Interval>>();
  for (const grant of grants.toSorted((a, b) => a.atUs - b.atUs)) {
    const endUs = ends.get(grant.ownerId) ?? Number.POSITIVE_INFINITY;
    const company = grant.kind === "foreign" ? "not ours" : companyOf(grant);
    const all = getOrAdd(latest, grant.name, () => new Map());
    const before = [...all].find(
      ([other, { endUs: untilUs }]) =>
        (other === undefined || other !== company) && grant.atUs < untilUs,
    )?.[1];
    if (before !== undefined && grant.atUs < endUs) {
      const both = `${before.grant.process} (${before.grant.ownerId}) and ${grant.process} (${grant.ownerId})`;
      violate(grant.atUs, `both hold ${grant.name}: ${both}`);
    }
    if (endUs > (all.get(company)?.endUs ?? 0)) all.set(company, { grant, endUs });
  }
}

function endedBy(event: HistoryEvent, foreigners: ReadonlySet<string>): string | undefined {
  if (event.kind === "end") return event.ownerId;
  if (event.kind === "foreign") return event.what === "end" ? event.ownerId : undefined;
  if (event.kind !== "key" || event.op !== "foreign" || event.before === event.by) return undefined;
  return foreigners.has(event.before ?? "") ? event.before : undefined;
}
