import type { Context } from "../../coordinator/context.js";
import { NOBODY } from "../../coordinator/ports.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { Round } from "../../coordinator/round.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import type { Operation, OperationKind, Vote } from "../../protocol/operation.js";
import { isValid, remainingTtlMs, validUntilMs } from "../../protocol/validity.js";
import { isRefusedByQuorum } from "../../protocol/verdict.js";
import type { LeaseFacts } from "./lease-state.js";
import type { Stats } from "./stats.js";
import { tapped } from "./tap.js";

/** `lost`: a quorum no longer holds the value under one of the names. */
export type Extended = LeaseFacts | "lost" | "failed";

/**
 * One extend round per name, in parallel. Where a quorum matched, keys are restored on nodes that lost them.
 *
 * @param isOver whether the lock has been released meanwhile, or has expired: nothing must be stored after its
 *   release, and a lock that was reported as ended must not be held again
 */
export async function extendAll(
  context: Context,
  keys: readonly LockKind[],
  value: string,
  settings: LeaseSettings,
  stats: Stats,
  isOver: () => boolean,
): Promise<Extended> {
  const { clock, nodes, schedule } = context;
  const { ttlMs, driftFactor, nodeTimeoutMs } = settings;
  const heard = tapped(nodes, "extend", {
    onVote: (index, vote) => stats.onVote(index, vote),
  });
  const firstSendMs = clock.now();
  const operationOf = (kind: OperationKind, name: LockKind, keyTtlMs: number): Operation => ({
    kind,
    keys: name,
    ownerId: value,
    ttlMs: keyTtlMs,
    fence: undefined,
    sendBeforeMs: clock.now() + nodeTimeoutMs,
    wire: undefined,
  });
  let isExtended = false;
  const healWhereFree = (name: LockKind, index: number, vote: Vote | undefined): void => {
    if (vote?.kind !== "refused" || vote.reason !== "free") return;
    const leftMs = remainingTtlMs(clock.now(), firstSendMs + ttlMs);
    if (leftMs >= 1) nodes[index]?.submit(operationOf("heal", name, leftMs), NOBODY, false);
  };
  const verdicts = keys.map((name) => {
    stats.ask();
    return new Promise<Round>((resolve) => {
      const round = new Round(nodes.length, schedule, nodeTimeoutMs, {
        onVerdict: resolve,
        onStraggler: (index, vote) => {
          if (isExtended && !isOver()) healWhereFree(name, index, vote);
        },
      });
      round.send(heard, operationOf("extend", name, ttlMs), 0, firstSendMs);
    });
  });
  stats.end(clock, nodeTimeoutMs);
  const rounds = await Promise.all(verdicts);
  if (isOver() || rounds.some(isRefusedByQuorum)) return "lost";
  const untilMs = validUntilMs(firstSendMs, ttlMs, driftFactor);
  const isWon = rounds.every(({ verdict }) => verdict === "won");
  if (!isWon || !isValid(clock.now(), untilMs)) return "failed";
  isExtended = true;
  keys.forEach((name, at) => {
    rounds[at]?.votes.forEach((vote, index) => healWhereFree(name, index, vote));
  });
  return { context, settings, validUntilMs: untilMs };
}
