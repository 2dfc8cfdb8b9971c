import { Attempt, type AttemptOutcome } from "../coordinator/attempt.js";
import type { Context, LeaseSettings } from "../coordinator/context.js";
import { rollback } from "../coordinator/release.js";
import type { NameKeys } from "../protocol/keys.js";
import { isValid, validUntilMs } from "../protocol/validity.js";
import { allNodes, type Lease } from "./lease.js";
import type { Stats } from "./stats.js";
import { tapped } from "./tap.js";

export interface Taken extends Lease {
  /** In the lock keys of all names. */
  readonly value: string;
}

/**
 * One attempt at several names, all or none, under one value.
 *
 * They are taken one after another, in sorted order: two who want the same names meet at the first
 * of them, so that one of the two goes on. Nothing is held while waiting: an attempt that does not
 * get a name gives up those that it has.
 *
 * @returns undefined if it failed; it has been rolled back then
 */
export async function takeAll(
  context: Context,
  keys: readonly NameKeys[],
  settings: LeaseSettings,
  stats: Stats,
): Promise<Taken | undefined> {
  const { clock, entropy, nodes, schedule } = context;
  const { ttlMs, driftFactor, nodeTimeoutMs } = settings;
  const value = entropy.id();
  const own: Context = {
    ...context,
    nodes: tapped(nodes, "acquire", (index, vote) => stats.onVote(index, vote)),
    entropy: { unit: () => entropy.unit(), id: () => value },
  };
  const sorted = keys.toSorted((a, b) => (a.lockKey < b.lockKey ? -1 : 1));
  const taken: NameKeys[] = [];
  const firstSendMs = clock.now();
  for (const name of sorted) {
    stats.ask();
    const outcome = await attempt(own, name, settings);
    if (outcome.kind !== "granted") break;
    // The lock is its user's to extend and to end, here or in another process that knows its value.
    schedule.remove(outcome.holding);
    taken.push(name);
  }
  stats.end(clock, nodeTimeoutMs);
  const untilMs = validUntilMs(firstSendMs, ttlMs, driftFactor);
  if (taken.length === keys.length && isValid(clock.now(), untilMs)) {
    return { context, ttlMs, validUntilMs: untilMs, value };
  }
  for (const name of taken) {
    rollback(context, {
      keys: name,
      ownerId: value,
      settings,
      token: undefined,
      owed: allNodes(context),
      waiter: undefined,
    });
  }
  return undefined;
}

function attempt(
  context: Context,
  keys: NameKeys,
  settings: LeaseSettings,
): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const listener = { onOutcome: resolve };
    void new Attempt(context, keys, settings, context.clock.now(), listener);
  });
}
