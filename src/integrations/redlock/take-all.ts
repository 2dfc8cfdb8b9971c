import { Attempt, type AttemptOutcome } from "../../coordinator/attempt.js";
import type { Context } from "../../coordinator/context.js";
import type { Lease } from "../../coordinator/lease.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ALL_NODES } from "../../coordinator/node-sets.js";
import { UNOBSERVED } from "../../coordinator/observer.js";
import { rollback } from "../../coordinator/release.js";
import { severalLock } from "../../kinds/several.js";
import { MAX_NAMES } from "../../options/name-keys.js";
import { hashSlotOf } from "../../protocol/keys.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import { isMadeAgain } from "../../protocol/next-move.js";
import { isValid, validUntilMs } from "../../protocol/validity.js";
import type { LeaseFacts } from "./lease-state.js";
import type { Stats } from "./stats.js";
import { tapped } from "./tap.js";
import { Undoing } from "./undoing.js";

export interface Taken extends LeaseFacts {
  /** The value in the lock keys of all names. */
  readonly value: string;
}

/** A failed attempt. Its releases are in flight. */
export interface NotTaken {
  /** Resolves when they are answered, at the latest at a node's deadline. */
  untilUndone(): Promise<void>;
}

/**
 * One attempt at several names, all or none, under one value.
 *
 * A node takes all of them in one step, or none. Names that it cannot take in one step are taken one set after
 * another, in an order that is the same for all clients: two clients that want the same names meet at the first set,
 * so one of them continues. An attempt that fails at a set gives up those that it has.
 *
 * @param hasCluster whether a node is a Cluster, where a step is limited to one hash slot
 */
export async function takeAll(
  context: Context,
  keys: readonly LockKind[],
  hasCluster: boolean,
  settings: LeaseSettings,
  stats: Stats,
): Promise<Taken | NotTaken> {
  const { clock, entropy, nodes, schedule } = context;
  const { ttlMs, driftFactor, nodeTimeoutMs } = settings;
  const undoing = new Undoing();
  const watched = tapped(nodes, "release", undoing);
  const sets = setsOf(keys, hasCluster);
  const taken: Lease[] = [];
  const firstSendMs = clock.now();
  for (const set of sets) {
    const { length: nameCount } = set.names;
    stats.ask();
    // The value of the first set is used for all.
    const value = taken[0]?.ownerId;
    const own: Context = {
      ...context,
      // The lock is reported when all sets are acquired.
      observer: UNOBSERVED,
      nodes: tapped(watched, "acquire", {
        onVote: (index, vote) => stats.onVote(index, vote, nameCount),
      }),
    };
    const outcome = await attempt(own, set, settings, value);
    if (outcome.kind !== "granted") break;
    // The lock is its user's to extend and to end, here or in another process that has its value.
    schedule.remove(outcome.lease);
    taken.push(outcome.lease);
  }
  stats.end(clock, nodeTimeoutMs);
  const untilMs = validUntilMs(firstSendMs, ttlMs, driftFactor);
  if (taken.length === sets.length && isValid(clock.now(), untilMs)) {
    return { context, settings, validUntilMs: untilMs, value: taken[0]?.ownerId ?? entropy.id() };
  }
  for (const { keys: set, ownerId } of taken) {
    const released = { keys: set, ownerId, settings, mayHold: ALL_NODES };
    rollback({ ...context, nodes: watched }, released);
  }
  return { untilUndone: () => undoing.settled(clock, nodeTimeoutMs) };
}

/** The names in sets that a node can take in one step, in the common order. */
function setsOf(keys: readonly LockKind[], hasCluster: boolean): LockKind[] {
  const slotOf = (name: LockKind): number => (hasCluster ? hashSlotOf(name) : 0);
  const sorted = keys.toSorted((a, b) => slotOf(a) - slotOf(b) || (a.lockKey < b.lockKey ? -1 : 1));
  const sets: LockKind[][] = [];
  for (const name of sorted) {
    const last = sets.at(-1);
    const [first] = last ?? [];
    const isFull = last === undefined || last.length === MAX_NAMES;
    if (isFull || first === undefined || slotOf(first) !== slotOf(name)) sets.push([name]);
    else last.push(name);
  }
  return sets.map(severalLock);
}

/** @param value if it must have one: the rollback of an attempt would undo a second under that value */
function attempt(
  context: Context,
  keys: LockKind,
  settings: LeaseSettings,
  value: string | undefined,
): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    let delayCount = 0;
    const onOutcome = (outcome: AttemptOutcome): void => {
      const mayRepeat = outcome.kind !== "granted" && !asking.isOnce;
      if (!mayRepeat || !isMadeAgain(outcome, delayCount++)) return resolve(outcome);
      asking = asking.again();
      asking.enter("plain");
    };
    const asked = { keys, settings, mode: { as: "newcomer", ownerId: value } } as const;
    let asking = new Attempt(context, asked, { onOutcome });
    asking.enter("plain");
  });
}
