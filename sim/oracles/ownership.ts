import { getOrAdd } from "./get-or-add.js";
import type { History, HistoryEvent, Violate } from "./history.js";
import { Preemptions } from "./preemptions.js";

/**
 * S4: a node changes or deletes a key only for its owner, or replaces it for an owner to which it is handed over: by
 * an acquire that names the previous owner, sent by its own process after it stopped holding, or by any process if
 * the lock was given up for that; or by the acquire of a set that names it as one of its parts, which its process has
 * acquired for that and nobody held. A stealing acquire takes the key from any owner. Where there is no key, only an
 * acquire and a heal may create one, and a release for a waiter that has left its acquire there: an extend that did
 * would prove a lease with a key that was missing.
 */
export function checkOwnership({ events }: History, violate: Violate): void {
  const believers = new Set<string>();
  /** The process that asked, by owner. */
  const processes = new Map<string, string>();
  const given = new Set<string>();
  /** Whose acquires nodes may execute. */
  const deferred = new Set<string>();
  /** The owner from which an owner may take over. */
  const passOns = new Map<string, Set<string>>();
  /** Of sets: these end with them. */
  const ofSets = new Set<string>();
  const preemptions = new Preemptions();
  for (const event of events) {
    if (event.kind === "grant") believers.add(event.ownerId);
    else if (event.kind === "end") {
      believers.delete(event.ownerId);
      if (event.why === "given") given.add(event.ownerId);
    } else if (event.kind === "send" && event.op === "acquire") {
      const { ownerId, process, previous, parts = [] } = event;
      processes.set(ownerId, process);
      for (const from of previous === undefined ? parts : [previous]) {
        const isOwn = processes.get(from) === process;
        const mayBe = !believers.has(from) && (isOwn || (from === previous && given.has(from)));
        if (mayBe) getOrAdd(passOns, ownerId, () => new Set()).add(from);
        if (mayBe && from !== previous) ofSets.add(from);
      }
    }
    if (event.kind === "send" && event.deferred !== undefined) {
      deferred.add(event.deferred);
      processes.set(event.deferred, event.process);
    }
    preemptions.see(event);
    if (event.kind === "key" && preemptions.isPreempting(event)) continue;
    const message = breachOf(event, passOns, ofSets, deferred);
    if (message !== undefined) violate(event.atUs, message);
  }
}

function breachOf(
  event: HistoryEvent,
  passOns: ReadonlyMap<string, ReadonlySet<string>>,
  ofSets: ReadonlySet<string>,
  deferred: ReadonlySet<string>,
): string | undefined {
  if (event.kind !== "key" || event.by === undefined || event.before === event.by) return undefined;
  if (event.op === "foreign") return undefined;
  const { node, op, by, before, after } = event;
  if (before !== undefined) {
    // Where a set cannot be stored, its parts end with it.
    const isEnded = after === undefined && ofSets.has(before);
    const isTaken = op === "acquire" && (after === by || isEnded);
    if (isTaken && passOns.get(by)?.has(before) === true) return undefined;
    return `node ${node}: ${op} of ${by} touched the key of ${before}`;
  }
  if (op === "acquire" || op === "heal") return undefined;
  if (op === "release" && after !== undefined && deferred.has(after)) return undefined;
  return `node ${node}: ${op} of ${by} made a key where there was none`;
}
