import { expect } from "chai";
import { readinessOf } from "../../src/channel/channel-state.js";

describe("what a node is to somebody who waits for a quorum", () => {
  for (const [state, plain, whenShaken, whenTwin] of [
    ["ready", "votes", "votes", "votes"],
    ["quarantined", "settling", "settling", "settling"],
    ["suspected", "away", "away", "away"],
    ["connecting", "away", "settling", "away"],
    ["down", "away", "settling", "away"],
    ["misconfigured", "misconfigured", "settling", "listedTwice"],
    ["closed", "away", "settling", "away"],
  ] as const) {
    it(`when it is ${state}`, () => {
      expect(readinessOf(state, false, false)).to.equal(plain);
      // The state is that of the connection before, until the node is admitted.
      expect(readinessOf(state, true, false)).to.equal(whenShaken);
      expect(readinessOf(state, true, true)).to.equal(whenShaken);
      expect(readinessOf(state, false, true)).to.equal(whenTwin);
    });
  }
});
