import { show } from "../runtime/validate.js";
import type { Acquirer } from "./acquirer.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import { NotAdoptableError } from "../api/errors.js";
import { ForeignKeyError } from "../api/node-errors.js";
import { nodeVotes } from "../api/tally.js";
import type { Lock } from "../api/lock.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Votes } from "../protocol/operation.js";
import type { AdoptOptions } from "../api/options.js";
import { checkPlace } from "../options/table.js";
import { resolveAcquireOptions } from "../options/resolve.js";
import { startedTrace } from "../telemetry/acquire-trace.js";
import type { GivenLock } from "../api/lock.js";
import { checkedGivenLock } from "./given-lock.js";

/** Takes over a lock that another process handed over. Throws as {@link LockManager.adopt} does. */
export function adopt(
  acquirer: Acquirer,
  json: GivenLock | string,
  options: AdoptOptions,
): Promise<Lock> {
  const { nodes, settings } = acquirer;
  const given = checkedGivenLock(json, nodes.context.clock.wallUs(), settings.maxTtlMs);
  const keys = acquirer.openKeysOf(given.name, "json.name");
  if (keys.lockKey !== given.lockKey) {
    throw new RangeError(
      `\`json.lockKey\` must be ${show(keys.lockKey)} by \`keyPrefix\`, got ${show(given.lockKey)}`,
    );
  }
  checkPlace(options, "adopt");
  // Without a ttl of its own it goes on with the giver's, not with the default.
  const withTtl = { ...options, ttlMs: options.ttlMs ?? given.ttlMs };
  const { lease, signal } = resolveAcquireOptions(withTtl, settings, 0, "adopt");
  acquirer.checkTtl(lease);
  return adoption(acquirer, keys, lease, given.ownerId, signal);
}

function adoption(
  acquirer: Acquirer,
  keys: LockKind,
  settings: LeaseSettings,
  giverId: string,
  signal: AbortSignal | undefined,
): Promise<Lock> {
  const { context, names } = acquirer.nodes;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const trace = startedTrace(keys, 0, { clock: context.clock, names }, signal);
    const standing = { as: "adopt", giverId } as const;
    const wanted = { keys, settings, wait: acquirer.settings.once, standing };
    acquirer.start(wanted, signal, undefined, (outcome, acquire) => {
      if (outcome.kind === "granted") {
        trace?.tell(outcome, undefined);
        resolve(acquirer.lockOf(outcome.lease));
        return;
      }
      const plain = acquirer.errorOf(outcome, acquire, wanted, signal);
      const isHeld = outcome.kind === "refused" && !(plain instanceof ForeignKeyError);
      const error = isHeld ? notAdoptable(keys.name, outcome.votes, names) : plain;
      trace?.tell(outcome, error);
      reject(error);
    });
  });
}

/** Whoever holds it. */
function notAdoptable(name: string, votes: Votes, nodeNames: readonly string[]): NotAdoptableError {
  const isTaken = votes.some((vote) => vote?.kind === "refused" && vote.reason === "held");
  return new NotAdoptableError(name, isTaken ? "taken" : "expired", nodeVotes(nodeNames, votes));
}
