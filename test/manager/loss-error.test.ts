import { expect } from "chai";
import type { LockLostError } from "../../src/api/errors.js";
import type { LossCause } from "../../src/coordinator/loss.js";
import { lossErrorOf } from "../../src/manager/loss-error.js";
import { LeasedLock } from "../../src/manager/lock.js";
import { runLocked } from "../../src/manager/request.js";
import { CoordinatorBench, leaseSettings, nodesOfLock } from "../support/coordinator-bench.js";
import { fault, granted } from "../support/votes.js";

const settings = leaseSettings({ ttlMs: 10_000 });
const NODES = ["a:1", "b:1", "c:1"];
const messageOf = (lossCause: LossCause): string =>
  lossErrorOf("job", { lossReason: "expired", lossCause, settings }, NODES).message;

describe("the error of a lock whose validity ran out", () => {
  const table: readonly [LossCause, string][] = [
    [
      { kind: "notRenewed" },
      '"job" was lost: its 10000 ms expired, and `renew` is off. ' +
        "Call `extend()` in time, or leave `renew` on",
    ],
    [
      { kind: "stalled", forMs: 9_321.4 },
      '"job" was lost: this process did not run for 9321 ms or more of its 10000 ms. ' +
        "Keep the event loop free and the machine from being suspended, or raise `ttlMs`",
    ],
    [
      { kind: "queued" },
      '"job" was lost: its 10000 ms expired while its renewal waited for other renewals of this process. ' +
        "Hold fewer locks at once, or raise `ttlMs`",
    ],
    [
      { kind: "unconfirmed", votes: [granted(), fault("timeout"), fault("disconnected")] },
      '"job" was lost: no quorum of nodes confirmed it before its 10000 ms expired ' +
        "(b:1: the test says timeout; c:1: the test says disconnected): 1/3 granted, 1 timed out, 1 disconnected. " +
        "`error.votes` has the reason for each node",
    ],
  ];
  for (const [cause, message] of table) {
    it(`says so if it was ${cause.kind}`, () => {
      expect(messageOf(cause)).to.equal(message);
    });
  }

  it("has the nodes' votes, and names no node for what is this process's own", () => {
    const votes = [fault(), fault(), granted()];
    const lossCause = { kind: "unconfirmed", votes } as const;
    const error = lossErrorOf("job", { lossReason: "expired", lossCause, settings }, NODES);
    expect(error.votes.map(({ node, vote }) => `${node} ${vote}`)).to.deep.equal([
      ...["a:1 fault", "b:1 fault", "c:1 granted"],
    ]);
    expect(
      lossErrorOf("job", { lossReason: "taken", lossCause, settings }, NODES).votes,
    ).to.deep.equal([]);
    expect(messageOf({ kind: "stalled", forMs: 4_000 })).to.not.match(/[abc]:1/);
  });

  it("keeps what it came from where it has the callback's outcome, too", async () => {
    const bench = new CoordinatorBench();
    const lock = new LeasedLock(bench.lease({ renew: false }), nodesOfLock(bench));
    bench.clock.advance(988);
    const error: unknown = await runLocked(lock, () => 5, {
      ...{ lossGraceMs: 10, clock: bench.clock, onOverrun: () => {} },
    }).catch((caught: unknown) => caught);
    const lost = lock.signal.reason as LockLostError;
    expect(lost.message).to.contain("`renew` is off");
    expect(error).to.include({ message: lost.message, result: 5, reason: "expired" });
    expect(error).to.not.equal(lost);
    expect(Object.keys(lost)).to.not.include("detail");
  });
});
