import { expect } from "chai";
import { isStanding, rowOf } from "../../src/cli/name-rows.js";
import type { LockReport, NodeReport } from "../../src/index.js";

describe("A name that was found", () => {
  const node = (state: NodeReport["state"]): NodeReport => ({
    ...{ node: "a", state, fingerprints: [], freeInMs: 0, waitingCount: 0 },
  });
  const report = (state: LockReport["state"], ...states: NodeReport["state"][]): LockReport => ({
    ...{ name: "n", state, isQuorate: state !== "undecided", holders: [], waitingCount: 0 },
    nodes: states.map(node),
  });

  for (const [title, given, isShown] of [
    ["held", report("held", "held", "held", "free"), true],
    ["left on a minority", report("free", "held", "free", "free"), true],
    ["somebody's data", report("undecided", "foreign", "foreign", "unanswered"), true],
    ["not answered for in time", report("undecided", "unanswered", "unanswered", "free"), true],
    ["free by now", report("free", "free", "free", "unanswered"), false],
  ] as const) {
    it(`is ${isShown ? "listed" : "left out"} if it is ${title}`, () => {
      expect(isStanding(rowOf(given))).to.equal(isShown);
    });
  }
});
