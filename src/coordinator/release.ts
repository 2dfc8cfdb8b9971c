import type { NameKeys } from "../protocol/keys.js";
import type { Operation } from "../protocol/operation.js";
import { outwaitMs } from "../protocol/validity.js";
import { isRefusedByQuorum } from "../protocol/verdict.js";
import type { Context, LeaseSettings } from "./context.js";
import { Round } from "./round.js";

/**
 * What a release found.
 *
 * - `released`: a quorum of nodes deleted our key
 * - `expired`: so many nodes no longer held our key that the lock had ended before
 * - `partial`: too many nodes did not answer to tell; they get the release when they are back
 */
export type ReleaseResult = "released" | "expired" | "partial";

/** Whose keys to delete. */
export interface Released {
  readonly keys: NameKeys;
  readonly ownerId: string;
  readonly settings: LeaseSettings;
  /** Lifts lower fences on every node that is reached; undefined if there never was a token. */
  readonly token: number | undefined;
  /** Bit mask of the nodes that may hold a key, see `NodePort.submit`. */
  readonly owed: number;
}

/**
 * Release and rollback are one: to all nodes, behind what was sent before. Resolves when a quorum
 * has answered or nothing more can come.
 */
export function release(context: Context, released: Released): Promise<ReleaseResult> {
  const { nodes, clock } = context;
  const { keys, ownerId, settings, token, owed } = released;
  const operation: Operation = {
    kind: "release",
    keys,
    ownerId,
    ttlMs: outwaitMs(settings.ttlMs, settings.driftFactor),
    fence: token,
    sendBeforeMs: Number.POSITIVE_INFINITY,
  };
  return new Promise((resolve) => {
    const round = new Round(nodes.length, {
      onVerdict: (result) => {
        if (result.verdict === "won") resolve("released");
        else resolve(isRefusedByQuorum(result) ? "expired" : "partial");
      },
    });
    round.send(nodes, operation, owed, clock, settings.nodeTimeoutMs);
  });
}
