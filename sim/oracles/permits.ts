import type { GrantEvent, History, Violate } from "./history.js";
import { isPermit, rootOf } from "./names.js";
import { Preemptions } from "./preemptions.js";

interface Belief {
  readonly grant: GrantEvent;
  readonly endUs: number;
}

/**
 * K1: there are never more holders of permits of a semaphore than it has permits, and no holder of the name as a
 * whole meanwhile. (That no two hold the same permit is S1, for the permit's own name.) A hold lasts up to, and not
 * including, its end; one of which another process preempts a key, until then.
 */
export function checkPermits({ events }: History, violate: Violate): void {
  const ends = new Map<string, number>();
  const preemptions = new Preemptions();
  for (const event of events) {
    preemptions.see(event);
    const ended = event.kind === "end" ? event.ownerId : preemptions.preemptedBy(event);
    if (ended !== undefined && !ends.has(ended)) ends.set(ended, event.atUs);
  }
  /** By name: the holders of it, or of one of its permits. */
  const believers = new Map<string, Belief[]>();
  /** By name: the largest size that it was given, and that a node has kept. */
  const resizedTo = new Map<string, number>();
  /** By owner: how many permits there were when it asked, as it knew: it may have been granted before a resize. */
  const askedOf = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "send" && event.op === "acquire") {
      const { ownerId, permits = 0 } = event;
      askedOf.set(ownerId, Math.max(permits, askedOf.get(ownerId) ?? 0));
    }
    if (event.kind === "size") {
      resizedTo.set(event.name, Math.max(event.count ?? 0, resizedTo.get(event.name) ?? 0));
    }
    if (event.kind !== "grant") continue;
    const grant = event;
    const { atUs, name, ownerId, permits = Number.POSITIVE_INFINITY } = grant;
    const endUs = ends.get(ownerId) ?? Number.POSITIVE_INFINITY;
    if (endUs <= atUs) continue;
    const root = rootOf(name);
    const others = (believers.get(root) ?? []).filter((belief) => belief.endUs > atUs);
    const all = [...others, { grant, endUs }];
    believers.set(root, all);
    const held = all.filter((belief) => isPermit(belief.grant.name));
    const names = held.map((belief) => `${belief.grant.name} (${belief.grant.ownerId})`).join(", ");
    // Those of before it was resized had as many; which of the sizes allows whom is K4.
    const sizes = held.flatMap(({ grant: { ownerId: owner, permits: of = 0 } }) => {
      return [of, askedOf.get(owner) ?? 0];
    });
    const most = Math.max(permits, resizedTo.get(root) ?? 0, ...sizes);
    if (held.length > most) {
      const message = `${held.length} hold one of ${most} permits: ${names}`;
      violate(atUs, message);
    } else if (held.length > 0 && held.length < all.length) {
      const message = `${root} is held as a whole beside permits: ${names}`;
      violate(atUs, message);
    }
  }
}
