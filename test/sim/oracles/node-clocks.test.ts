import { expect } from "chai";
import { NodeClocks } from "../../../sim/oracles/node-clocks.js";
import { historyOf, nodeEvent } from "../../support/check/events.js";

describe("the clocks of the nodes, as the oracles know them", () => {
  const clocksWith = (nodeRatesPpm?: readonly number[]): NodeClocks =>
    new NodeClocks(historyOf([], { ...(nodeRatesPpm && { nodeRatesPpm }) }).settings);

  it("show real time where nothing else is known", () => {
    expect(clocksWith().at(2, 5_000)).to.equal(5_000);
  });

  it("run at the rates of the scenario", () => {
    const clocks = clocksWith([0, 1_000]);
    expect([clocks.at(0, 2_000), clocks.at(1, 2_000)]).to.deep.equal([2_000, 2_002]);
  });

  it("are set, and run at other rates, from the event on", () => {
    const clocks = clocksWith([1_000, 1_000]);
    clocks.see(nodeEvent(1_000, 0, "jump", { byMs: -3 }));
    expect([clocks.at(0, 1_000), clocks.at(1, 1_000)]).to.deep.equal([-1_999, 1_001]);
    clocks.see(nodeEvent(2_000, 0, "rate", { ratePpm: 0 }));
    expect(clocks.at(0, 3_000)).to.equal(3_000 - 3_000 + 2);
  });
});
