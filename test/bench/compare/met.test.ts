import { expect } from "chai";
import { metIn, type Met } from "../../../bench/compare/met.js";
import type { Observation } from "../../../bench/compare/scenarios/scenario.js";

const CASES: readonly (readonly [id: string, facts: Observation["facts"], met: Met])[] = [
  ["tie-2", { outcome: "rejected", isGranted: false, afterMs: 28 }, "met"],
  ["tie-2", { outcome: "rejected", isGranted: false, afterMs: 5_000 }, "partly"],
  ["tie-2", { outcome: "pending", isGranted: false, afterMs: 30_000 }, "not"],
  ["tie-4", { outcome: "resolved", isGranted: true, afterMs: 5 }, "not"],
  ["split-vote", { firstGrantMs: [300, 260], grantedCounts: [3, 3] }, "met"],
  ["split-vote", { firstGrantMs: [300, 2_260], grantedCounts: [3, 3] }, "partly"],
  ["split-vote", { firstGrantMs: [300, 260], grantedCounts: [3, 1] }, "partly"],
  ["split-vote", { firstGrantMs: [2_300, null], grantedCounts: [1, 0] }, "not"],
  ["one-dead-acquire", { isGranted: true, afterMs: 3 }, "met"],
  ["one-dead-acquire", { isGranted: true, afterMs: 5_000 }, "partly"],
  ["one-frozen-acquire", { isGranted: false, afterMs: 30_000 }, "not"],
  ["one-frozen-hold", { watchedMs: 30_000 }, "met"],
  ["one-dead-hold", { keysGoneAfterMs: 10_000 }, "not"],
  ["majority-frozen", { toldAfterEndMs: -101 }, "met"],
  ["majority-frozen", { toldAfterEndMs: 3_005 }, "partly"],
  ["majority-frozen", { return: "pending" }, "not"],
  ["late-quorum", { isGranted: false }, "met"],
  ["late-quorum", { isGranted: true }, "not"],
  ["late-landing", { orphanedMs: 0 }, "met"],
  ["late-landing", { orphanedMs: 9_826 }, "not"],
  ["restart-empty", { grantedAfterMs: 3_035, firstToldAfterMs: 2_949 }, "met"],
  ["clock-step", { tryCount: 25 }, "met"],
  ["clock-step-all", { grantedAfterMs: 88, firstToldAfterMs: 2_344 }, "not"],
  ["clock-step-one-node", { grantedAfterMs: 20 }, "not"],
  ["stall", { saysHeldAtOnce: false }, "met"],
  ["stall", { saysHeldAtOnce: true }, "not"],
  ["outlived-lock", { result: "reported with A", error: "reported with A" }, "met"],
  ["outlived-lock", { result: "replaced by A", error: "replaced by A" }, "partly"],
  ["outlived-lock", { result: "returned, loss not reported", error: "reported with A" }, "not"],
];

describe("what an observation is worth", () => {
  for (const [id, facts, met] of CASES) {
    it(`${id} with ${JSON.stringify(facts)}: ${met}`, () => {
      expect(metIn(id, facts)).to.equal(met);
    });
  }

  it("is not said of a scenario without an expectation", () => {
    expect(() => metIn("none", {})).to.throw('nothing is expected of "none"');
  });
});
