import { getOrAdd } from "./get-or-add.js";
import type { CallEvent, GrantEvent, History, Violate } from "./history.js";
import { Preemptions } from "./preemptions.js";

/**
 * O1: hold counts are exact. After a step on a node, its count for an owner is the number of that owner's holds there
 * that have neither been released nor expired by the node's clock.
 */
export function checkHolds({ events }: History, violate: Violate): void {
  /** By node and name: the owner of each hold. A node that goes back to an older state may have another's. */
  const holds = new Map<string, Map<string, string>>();
  for (const event of events) {
    if (event.kind === "key" && event.owner !== undefined) {
      const standing = getOrAdd(holds, `${event.node} ${event.name}`, () => new Map());
      if (event.after !== undefined) standing.set(event.after, event.owner);
      else if (event.before !== undefined) standing.delete(event.before);
    } else if (event.kind === "count") {
      const { node, name, owner, count, atUs } = event;
      const standing = holds.get(`${node} ${name}`)?.values() ?? [];
      const size = [...standing].filter((of) => of === owner).length;
      if (size === count) continue;
      const message = `node ${node} counts ${count} holds of ${owner} in ${name}, of which ${size} are there`;
      violate(atUs, message);
    }
  }
}

/**
 * O2: a re-entrant owner is granted: its acquire is never refused as held if the owner held the name all the while,
 * from before the call, by one and the same lock. And a joiner, which asks out of turn only where its owner holds the
 * name, is granted nothing where it does not.
 */
export function checkEntries(history: History, violate: Violate): void {
  refusedAtHome(history, violate);
  enteredElsewhere(history, violate);
}

function enteredElsewhere({ events }: History, violate: Violate): void {
  const asking = new Set<string>();
  /** By node, name and owner. */
  const holds = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.kind === "send" && event.isAgain === true) asking.add(event.ownerId);
    if (event.kind !== "key" || event.owner === undefined) continue;
    const { node, name, owner, before, after, op, atUs } = event;
    const standing = getOrAdd(holds, `${node} ${name} ${owner}`, () => new Set());
    if (after === undefined) standing.delete(before ?? "");
    else {
      if (op === "acquire" && asking.has(after) && standing.size === 0) {
        const message = `node ${node} gave ${name} to ${after}, before its place, though ${owner} was not in`;
        violate(atUs, message);
      }
      standing.add(after);
    }
  }
}

function refusedAtHome({ events }: History, violate: Violate): void {
  const believing = new Map<string, GrantEvent>();
  const calls = new Map<number, { readonly call: CallEvent; readonly by: Set<string> }>();
  const preemptions = new Preemptions();
  for (const event of events) {
    preemptions.see(event);
    const robbed = preemptions.preemptedBy(event);
    if (event.kind === "grant") {
      if (event.owner !== undefined) believing.set(event.ownerId, event);
    } else if (event.kind === "end" || robbed !== undefined) {
      const ownerId = event.kind === "end" ? event.ownerId : (robbed ?? "");
      believing.delete(ownerId);
      for (const { by } of calls.values()) by.delete(ownerId);
    } else if (event.kind === "call" && event.owner !== undefined) {
      const { name, owner } = event;
      const by = [...believing.values()].filter(
        (grant) => grant.name === name && grant.owner === owner,
      );
      calls.set(event.call, { call: event, by: new Set(by.map(({ ownerId }) => ownerId)) });
    } else if (event.kind === "settle") {
      const known = calls.get(event.call);
      calls.delete(event.call);
      const [holder] = known?.by ?? [];
      if (known === undefined || holder === undefined || event.result !== "refused") continue;
      const { name, owner } = known.call;
      const message = `${owner} was told that ${name} is held, which it holds itself by ${holder}`;
      violate(event.atUs, message);
    }
  }
}
