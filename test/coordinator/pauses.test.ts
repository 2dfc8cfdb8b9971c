import { expect } from "chai";
import { failureOf } from "../../src/coordinator/attempt-failure.js";
import { Pauses } from "../../src/coordinator/pauses.js";
import { backoffMs } from "../../src/protocol/backoff.js";
import { CoordinatorBench, heardInbox } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { granted, held } from "../support/votes.js";

const WAIT = { waitMs: 10_000, minDelayMs: 10, maxDelayMs: 250, fair: false };
const SPLIT = failureOf("refused", [granted(7), held(60_000), held(60_000)]);
const LOST = failureOf("refused", [held(60_000), held(60_000), undefined]);

/** Of a process with that draw of its own, which nodes can reach or not. */
function pauses(unit: number, isHeard = true): Pauses {
  const inbox = { ...heardInbox(), isHeard };
  const { context } = new CoordinatorBench(3, new ManualClock(), inbox);
  return new Pauses({ ...context, entropy: { ...context.entropy, unit: () => unit } }, WAIT);
}

describe("the pause before an acquire enters the queues of the nodes", () => {
  it("is each process's own where votes were split: those that split them would split them again", () => {
    const units = [0, 0.25, 0.5, 1];
    const all = units.map((unit) => pauses(unit).queueUpMs(SPLIT, 1));
    expect(all).to.deep.equal(units.map((unit) => unit * WAIT.minDelayMs));
  });

  it("is none where the name is another's: it waits in the queues", () => {
    expect(pauses(0.5).queueUpMs(LOST, 1)).to.equal(0);
  });

  it("is a back-off where no node could tell it", () => {
    for (const failure of [SPLIT, LOST]) {
      const { quorumFreeInMs } = failure;
      const { minDelayMs, maxDelayMs } = WAIT;
      const expected = backoffMs({
        ...{ attemptCount: 3, minDelayMs, maxDelayMs, quorumFreeInMs, unit: 0.5 },
      });
      expect(pauses(0.5, false).queueUpMs(failure, 3)).to.equal(expected).and.above(0);
    }
  });
});
