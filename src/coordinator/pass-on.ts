import { faultVote, type GrantedVote, type RefusedVote, type Vote } from "../protocol/operation.js";
import type { OperationOf, PreviousOwner } from "../protocol/operation.js";
import type { Run } from "../protocol/pass-on-run.js";
import type { Context } from "./context.js";
import type { Predecessor } from "./acquire-mode.js";
import { releaseOperation, releaseResult, type Released } from "./release.js";
import type { ReleaseResult } from "./release-result.js";
import { Round } from "./round.js";

const LET_GO: GrantedVote = { kind: "granted", fence: 0 };
const NOT_THERE: RefusedVote = {
  kind: "refused",
  reason: "free",
  remainingMs: 0,
  label: undefined,
};

/**
 * A lock that is passed on to the next waiter of the same process: one round releases it and acquires it again,
 * node by node.
 *
 * The release is never withheld. To every node that has not executed it in that step (because it is quarantined, out
 * of memory or silent), a release of its own is sent, after what was sent before.
 */
export class PassOn implements Predecessor {
  readonly previous: PreviousOwner;
  readonly run: Run;
  /** The outcome of the release. */
  readonly result: Promise<ReleaseResult>;

  readonly #context: Context;
  readonly #release: OperationOf<"release">;
  readonly #mayHold: number;
  readonly #round: Round;
  /** Bit mask of the nodes that released in that step or were sent the release. */
  #settled = 0;

  constructor(context: Context, released: Released, run: Run) {
    const { ownerId, token, mayHold, settings } = released;
    this.previous = { ownerId, token };
    this.run = run;
    this.#context = context;
    this.#mayHold = mayHold;
    this.#release = releaseOperation(context, released);
    let resolve: (result: ReleaseResult) => void;
    this.result = new Promise((settle) => {
      resolve = settle;
    });
    this.#round = new Round(context, settings.nodeTimeoutMs, {
      onVerdict: ({ votes }) => resolve(releaseResult(votes)),
    });
    this.#round.expect(context.clock.now());
  }

  /** A node's vote on the acquire. */
  onVote(index: number, vote: Vote): void {
    if (vote.kind === "fault") {
      this.#releaseOn(index, vote.sent);
      return;
    }
    this.#settled |= 1 << index;
    const hasLetGo = vote.kind === "granted" && vote.isHandedOver === true;
    this.#round.onVote(index, hasLetGo ? LET_GO : NOT_THERE);
  }

  letGo(): void {
    for (let index = 0; index < this.#context.nodes.length; index++) this.#releaseOn(index, true);
  }

  /** @param wasSent the node may have released already, so a missing key proves nothing */
  #releaseOn(index: number, wasSent: boolean): void {
    const bit = 1 << index;
    if (this.#settled & bit) return;
    this.#settled |= bit;
    const onVote = (at: number, vote: Vote): void => {
      const isUnknown = wasSent && vote.kind === "refused";
      this.#round.onVote(at, isUnknown ? faultVote("timeout", true, "asked to pass it on") : vote);
    };
    this.#context.nodes[index]?.submit(this.#release, { onVote }, (this.#mayHold & bit) !== 0);
  }
}
