import { getOrAdd } from "./get-or-add.js";
import {
  majority,
  type CallEvent,
  type GrantEvent,
  type History,
  type HistoryEvent,
  type SizeEvent,
  type Violate,
} from "./history.js";
import { isPermit, rootOf } from "./names.js";

/** The sizes of one semaphore. */
interface Sizes {
  /** By node: the version that it keeps. */
  readonly versions: Map<number, number>;
  /** By version: how many permits nodes have kept with it. Of several, the largest replaces the others. */
  readonly counts: Map<number, Set<number>>;
  /** By node: the newest that it has kept, whether it lost it or not. */
  readonly ever: Map<number, number>;
  /** The version in force, and since when; the last at the end. */
  readonly inForce: { readonly atUs: number; readonly version: number }[];
}

/**
 * K4: a permit that there is no more is granted to nobody. A size is in force while a quorum of nodes keeps its version,
 * or a newer one; it is, or has been, when the call that resized to it says so, but for nodes that have kept it and lost
 * their data since: they do not vote for long enough. And a node keeps no older one after it, unless it loses its data.
 * Whoever asks while it is, until its grant, has a number that is below it, or below that of a newer version. (That no
 * two hold the same permit is S1, so holders are never more than the larger of the sizes under which they asked.)
 */
export function checkSizes({ settings, events }: History, violate: Violate): void {
  const quorum = majority(settings.nodeCount);
  const semaphores = new Map<string, Sizes>();
  /** By owner: when its acquire was sent first. */
  const askedUs = new Map<string, number>();

  const resizes = new Map<number, CallEvent>();

  const of = (name: string): Sizes =>
    getOrAdd(semaphores, name, () => {
      const inForce = [{ atUs: 0, version: 0 }];
      return { versions: new Map(), counts: new Map(), ever: new Map(), inForce };
    });
  /** So many keep it, or a newer one. */
  const ofQuorum = (versions: ReadonlyMap<number, number>): number =>
    [...versions.values()].toSorted((a, b) => b - a)[quorum - 1] ?? 0;
  const keep = (event: SizeEvent): void => {
    const { node, name, atUs, count = 0, version = 0, isLost = false } = event;
    const { versions, counts, ever, inForce } = of(name);
    const before = versions.get(node) ?? 0;
    if (version < before && !isLost) {
      violate(atUs, `node ${node} keeps version ${version} of ${name} after ${before}`);
    }
    versions.set(node, version);
    ever.set(node, Math.max(version, ever.get(node) ?? 0));
    if (version > 0) getOrAdd(counts, version, () => new Set()).add(count);
    inForce.push({ atUs, version: ofQuorum(versions) });
  };
  const judgeCall = ({ name, resizeTo = 0 }: CallEvent, atUs: number): void => {
    const { counts, ever } = of(name);
    // No version that was in force is above that.
    const newest = ofQuorum(ever);
    const hasBeen = [...counts].some(([version, all]) => all.has(resizeTo) && version <= newest);
    if (hasBeen) return;
    violate(atUs, `${name} is not resized to ${resizeTo} on a quorum`);
  };
  const judge = ({ name, ownerId, atUs }: GrantEvent): void => {
    const sizes = semaphores.get(rootOf(name));
    const sinceUs = askedUs.get(ownerId);
    if (sizes === undefined || sinceUs === undefined) return;
    const version = leastVersion(sizes, sinceUs);
    if (version === 0) return;
    const allowed = [...sizes.counts]
      .filter(([of]) => of >= version)
      .flatMap(([, all]) => [...all]);
    const most = Math.max(...allowed);
    if (Number(name.slice(name.indexOf("#") + 1)) < most) return;
    violate(atUs, `${ownerId} gets ${name}, although there are ${most} permits since it asked`);
  };
  const see = (event: HistoryEvent): void => {
    if (event.kind === "send" && event.op === "acquire" && !askedUs.has(event.ownerId)) {
      askedUs.set(event.ownerId, event.atUs);
    } else if (event.kind === "size") keep(event);
    else if (event.kind === "call" && event.what === "resize") resizes.set(event.call, event);
    else if (event.kind === "settle" && event.result === "resized") {
      const call = resizes.get(event.call);
      if (call !== undefined) judgeCall(call, event.atUs);
    } else if (event.kind === "grant" && isPermit(event.name)) judge(event);
  };
  for (const event of events) see(event);
}

/** Of those in force since then, the oldest. */
function leastVersion({ inForce }: Sizes, sinceUs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { atUs, version } of inForce.toReversed()) {
    least = Math.min(least, version);
    if (atUs < sinceUs) break;
  }
  return least;
}
