import type { EndEvent } from "../../sim/oracles/history.js";
import type { ChaosRecord, GrantRecord } from "../history/records.js";

/** The time in which a process believed that it held a name, as far as recorded. */
export interface Belief {
  readonly grant: GrantRecord;
  /** When its acquire call began. */
  readonly askedUs: number;
  readonly endUs: number;
  readonly why: EndEvent["why"];
  /** Its last known end of validity: a write must not be later than this. */
  readonly validUntilUs: number;
}

interface Draft {
  readonly grant: GrantRecord;
  readonly askedUs: number;
  validUntilUs: number;
  releasedUs: number;
  lostUs: number;
}

/**
 * All beliefs by ownerId. A belief ends with its validity, even if its process did not run to notice; with the call
 * of the release; with the loss; or with the process. Validity is known only from readings, so a renewal after the
 * last reading is missed: a belief may look shorter than it was, never longer.
 */
export function beliefsOf(records: readonly ChaosRecord[]): Map<string, Belief> {
  const asked = new Map<string, number>();
  const drafts = new Map<string, Draft>();
  const crashes = new Map<string, number>();
  for (const record of records) {
    const { kind, atUs } = record;
    if (kind === "call") {
      asked.set(`${record.process} ${record.call}`, atUs);
      const draft = drafts.get(record.ownerId ?? "");
      if (draft && record.what === "release") draft.releasedUs = Math.min(draft.releasedUs, atUs);
    } else if (kind === "grant") {
      drafts.set(record.ownerId, {
        grant: record,
        askedUs: asked.get(`${record.process} ${record.call}`) ?? atUs,
        validUntilUs: atUs + record.leftMs * 1_000,
        releasedUs: Infinity,
        lostUs: Infinity,
      });
    } else if (kind === "sample" || kind === "check") {
      const draft = drafts.get(record.ownerId);
      if (draft === undefined) continue;
      draft.validUntilUs = Math.max(draft.validUntilUs, atUs + record.leftMs * 1_000);
    } else if (kind === "lost") {
      const draft = drafts.get(record.ownerId);
      if (draft) draft.lostUs = Math.min(draft.lostUs, atUs);
    } else if (kind === "process" && record.what === "crash") {
      crashes.set(record.process, atUs);
    }
  }
  return new Map(
    [...drafts].map(([ownerId, draft]) => [ownerId, beliefOf(draft, crashes)] as const),
  );
}

function beliefOf(draft: Draft, crashes: ReadonlyMap<string, number>): Belief {
  const { grant, askedUs, validUntilUs, releasedUs, lostUs } = draft;
  const ends: readonly (readonly [number, EndEvent["why"]])[] = [
    [validUntilUs, "expired"],
    [releasedUs, "released"],
    [lostUs, "lost"],
    [crashes.get(grant.process) ?? Infinity, "crashed"],
  ];
  const [endUs, why] = ends.reduce((first, next) => (next[0] < first[0] ? next : first));
  // Rounded down to whole microseconds: a hold is never made longer.
  return { grant, askedUs, endUs: Math.max(Math.floor(endUs), grant.atUs), why, validUntilUs };
}
