import type { LeaseHandle } from "../coordinator/lease.js";
import type { LossCause } from "../coordinator/loss.js";
import { detailOf, firstOf } from "../api/error-text.js";
import { LockLostError } from "../api/errors.js";
import { nodeVotes, type NodeVote } from "../api/tally.js";

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
  const { text, votes } = lossText(lossCause, settings.ttlMs, nodeNames);
  return new LockLostError(name, lossReason, {}, { text, votes });
}

interface LossText {
  readonly text: { readonly happened: string; readonly remedy: string };
  readonly votes?: readonly NodeVote[] | undefined;
}

function lossText(cause: LossCause, ttlMs: number, nodeNames: readonly string[]): LossText {
  switch (cause.kind) {
    case "notRenewed": {
      const happened = `was lost: its ${ttlMs} ms expired, and \`renew\` is off`;
      return { text: { happened, remedy: "Call `extend()` in time, or leave `renew` on" } };
    }
    case "stalled": {
      const stall = `did not run for ${Math.round(cause.forMs)} ms or more of its ${ttlMs} ms`;
      const happened = `was lost: this process ${stall}`;
      const remedy =
        "Keep the event loop free and the machine from being suspended, or raise `ttlMs`";
      return { text: { happened, remedy } };
    }
    case "queued": {
      const queue = "its renewal waited for other renewals of this process";
      const happened = `was lost: its ${ttlMs} ms expired while ${queue}`;
      return { text: { happened, remedy: "Hold fewer locks at once, or raise `ttlMs`" } };
    }
    case "unconfirmed": {
      const votes = nodeVotes(nodeNames, cause.votes);
      const silent = votes.filter(({ fault }) => fault !== undefined);
      const list = firstOf(
        silent.map(({ node, message = "no answer" }) => detailOf(node, message)),
      );
      const nodes = list === "" ? "" : ` (${list})`;
      const happened = `was lost: no quorum of nodes confirmed it before its ${ttlMs} ms expired${nodes}`;
      return { text: { happened, remedy: "`error.votes` has the reason for each node" }, votes };
    }
  }
}
