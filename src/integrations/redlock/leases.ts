import { Attempt, type AttemptOutcome } from "../../coordinator/attempt.js";
import type { Context } from "../../coordinator/context.js";
import { Lease } from "../../coordinator/lease.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ALL_NODES } from "../../protocol/quorum.js";
import { poll } from "../../coordinator/poll.js";
import { releaseOperation, rollback } from "../../coordinator/release.js";
import { severalLock } from "../../kinds/several.js";
import { MAX_NAMES } from "../../options/name-keys.js";
import { hashSlotOf, type NameKeys } from "../../protocol/keys.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import type { Votes } from "../../protocol/operation.js";
import { validUntilMs } from "../../protocol/lease-times.js";

/** Of one lock: one for each set of its resources, in the order of the sets. */
export type Leases = readonly Lease[];

/** Under this, a lock has what is known of it here. It is no part of its data: neither shown nor copied with it. */
const KNOWN = Symbol("known");

/** The leases of a lock that was acquired or extended over these connections. */
export function leasesOf(lock: object, context: Context | undefined): Leases | undefined {
  const { [KNOWN]: known } = lock as { [KNOWN]?: { context: Context; leases: Leases | undefined } };
  return known?.context === context ? known?.leases : undefined;
}

/** Not by a `WeakMap`: with many locks in flight, collecting its entries took an eighth of the client's CPU. */
export function remember(lock: object, context: Context, leases: Leases | undefined): void {
  Object.defineProperty(lock, KNOWN, { value: { context, leases }, configurable: true });
}

/** Why an attempt failed. */
export interface Failed {
  /** Others would fail, too. */
  readonly isFinal?: boolean;
  readonly votes?: Votes;
  /** Resolves when all nodes have answered what undoes it, at the latest at a node's deadline. */
  readonly undone?: () => Promise<unknown>;
}

/** @param how the lease is kept; by default as one that anybody who has the lock's data may extend and release */
export function leaseSettings(
  ttlMs: number,
  driftFactor: number,
  how: Partial<LeaseSettings> = { isByValue: true },
): LeaseSettings {
  // Patient, since redlock itself has no such limit.
  const nodeTimeoutMs = Math.min(Math.max(ttlMs / 5, 50), 1_000, ttlMs / 2);
  const maxHoldMs = Number.POSITIVE_INFINITY;
  const plain = { renew: false, fencing: false, label: "" };
  return { ttlMs, nodeTimeoutMs, driftFactor, maxHoldMs, ...plain, ...how };
}

/** The names in sets that a node can take in one step, in an order that is the same for all clients. */
export function setsOf(keys: readonly NameKeys[], hasCluster: boolean): LockKind[] {
  const slotOf = (name: NameKeys): number => (hasCluster ? hashSlotOf(name) : 0);
  const sorted = keys.toSorted((a, b) => slotOf(a) - slotOf(b) || (a.lockKey < b.lockKey ? -1 : 1));
  const sets: NameKeys[][] = [];
  for (const name of sorted) {
    const last = sets.at(-1);
    const isOfLast = last?.[0] !== undefined && slotOf(last[0]) === slotOf(name);
    if (isOfLast && last.length < MAX_NAMES) last.push(name);
    else sets.push([name]);
  }
  return sets.map(severalLock);
}

/**
 * One attempt at all of the sets, under one owner.
 *
 * They are taken one after another: two clients that want the same names meet at the first set, so one of them
 * continues. An attempt that fails at a set gives up those that it has.
 */
export async function takeAll(
  context: Context,
  sets: readonly LockKind[],
  ownerId: string,
  settings: LeaseSettings,
): Promise<Leases | Failed> {
  const taken: Lease[] = [];
  let votes: Votes = [];
  for (const keys of sets) {
    const outcome = await new Promise<AttemptOutcome>((resolve) => {
      const mode = { as: "newcomer", ownerId } as const;
      const attempt = new Attempt(context, { keys, settings, mode }, { onOutcome: resolve });
      context.admission.enter(attempt, "plain");
    });
    if (outcome.kind === "granted") taken.push(outcome.lease);
    else ({ votes } = outcome);
    if (outcome.kind !== "granted") break;
  }
  if (taken.length === sets.length && taken.every((lease) => lease.isHeld())) return taken;
  for (const lease of taken) rollback(context, lease.endHere());
  const { nodeTimeoutMs } = settings;
  const undone = (keys: LockKind): Promise<Votes> =>
    poll(
      context,
      releaseOperation(context, { keys, ownerId, settings, mayHold: 0 }),
      0,
      nodeTimeoutMs,
    );
  return { votes, undone: () => Promise.all(sets.slice(0, taken.length + 1).map(undone)) };
}

/** The leases of a lock whose owner is known from elsewhere, and that is said to be valid for so long. */
export function leasesByValue(
  context: Context,
  sets: readonly LockKind[],
  ownerId: string,
  settings: LeaseSettings,
  leftMs: number,
): Leases {
  const { ttlMs, driftFactor } = settings;
  const nowMs = context.clock.now();
  // What is left beyond that is not known from the nodes.
  const untilMs = Math.min(nowMs + leftMs, validUntilMs(nowMs, ttlMs, driftFactor));
  const times = { firstSendMs: nowMs, grantedAtMs: nowMs, validUntilMs: untilMs };
  const nodes = { mayHold: ALL_NODES, complete: ALL_NODES };
  const run = { startedMs: nowMs, isWaitedFor: false, lastTicket: 0, passOnCount: 0 };
  const token = { fence: undefined };
  return sets.map(
    (keys) => new Lease(context, { keys, settings, ownerId, ...token, ...times, ...nodes, run }),
  );
}

export async function extendAll(leases: Leases, durationMs: number): Promise<Leases | Failed> {
  const results = await Promise.all(leases.map((lease) => lease.extend(durationMs)));
  if (results.some(({ kind }) => kind === "lost")) return { isFinal: true };
  return results.find((result) => result.kind === "failed") ?? leases;
}
