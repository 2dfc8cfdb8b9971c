import type { LeaseHandle } from "../coordinator/lease-handle.js";
import { LockLostError } from "../api/errors.js";
import { nodeVotes } from "../api/tally.js";

type Ended = Pick<LeaseHandle, "lossReason" | "lossCause" | "settings">;

/** The error for a lost lock: the reason, and its cause. */
export function lossErrorOf(
  name: string,
  { lossReason = "expired", lossCause, settings }: Ended,
  nodeNames: readonly string[],
): LockLostError {
  if (lossReason !== "expired" || lossCause === undefined) {
    return new LockLostError(name, lossReason);
  }
  const { ttlMs } = settings;
  switch (lossCause.kind) {
    case "notRenewed":
      return new LockLostError(
        name,
        lossReason,
        {},
        { why: `its ${ttlMs} ms expired, and \`renew\` is off` },
      );
    case "stalled": {
      const stall = `did not run for ${Math.round(lossCause.forMs)} ms or more of its ${ttlMs} ms`;
      const why = `this process ${stall}: the event loop was blocked, or the machine suspended`;
      return new LockLostError(name, lossReason, {}, { why });
    }
    case "queued": {
      const why = `its ${ttlMs} ms expired while its renewal waited for other renewals of this process`;
      return new LockLostError(name, lossReason, {}, { why });
    }
    case "unconfirmed": {
      const votes = nodeVotes(nodeNames, lossCause.votes);
      const silent = votes.filter(({ fault }) => fault !== undefined);
      const list = silent
        .map(({ node, message }) => `${node}: ${message ?? "no answer"}`)
        .join("; ");
      const nodes = list === "" ? "" : ` (${list})`;
      const why = `no quorum of nodes confirmed it before its ${ttlMs} ms expired${nodes}`;
      return new LockLostError(name, lossReason, {}, { why, votes });
    }
  }
}
