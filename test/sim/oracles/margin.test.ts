import { expect } from "chai";
import { smallestMarginUs } from "../../../sim/oracles/margin.js";
import { eligible, grant, historyOf, key, send } from "../../support/check/events.js";

describe("the safety margin", () => {
  const ready = [0, 1, 2].map((node) => eligible(0, node));
  const keys = [
    key(1, 0, undefined, "A", { deadUs: 1_000_000 }),
    key(1, 1, undefined, "A", { deadUs: 1_000_500 }),
  ];

  it("is from the end of the belief to the first death that frees a quorum", () => {
    const history = historyOf([...ready, ...keys, grant(2, "A")]);
    expect(smallestMarginUs(history)).to.equal(12_000);
  });

  it("counts on to the second death where all nodes hold the key", () => {
    const third = key(1, 2, undefined, "A", { deadUs: 1_002_000 });
    const history = historyOf([...ready, ...keys, third, grant(2, "A")]);
    expect(smallestMarginUs(history)).to.equal(12_500);
  });

  it("does not end with a key that came back on a node which does not vote", () => {
    const back = [
      ...[eligible(1, 0, false), key(1, 0, "A", undefined, { op: "forget", by: undefined })],
      key(1, 0, undefined, "A", { op: "forget", by: undefined, deadUs: 500_000 }),
      key(1, 1, undefined, "A", { deadUs: 1_000_500 }),
      key(1, 2, undefined, "A", { deadUs: 1_002_000 }),
    ];
    expect(smallestMarginUs(historyOf([...ready, ...back, grant(2, "A")]))).to.equal(14_000);
  });

  it("is negative where a key dies too early", () => {
    const early = key(1, 1, undefined, "A", { deadUs: 987_999 });
    const history = historyOf([...ready, ...keys.slice(0, 1), early, grant(2, "A")]);
    expect(smallestMarginUs(history)).to.equal(-1);
  });

  it("does not count for one who is preempted", () => {
    const preemption = [
      send(1, "B", 0, { isPreempting: true }),
      key(1, 0, "A", "B", { deadUs: 500_000 }),
    ];
    const events = [...ready, send(0, "A", 0), ...keys, ...preemption, grant(2, "A")];
    expect(smallestMarginUs(historyOf(events))).to.equal(Number.POSITIVE_INFINITY);
    const [, ...noPreemption] = preemption;
    const without = [...ready, send(0, "A", 0), ...keys, ...noPreemption, grant(2, "A")];
    expect(smallestMarginUs(historyOf(without))).to.be.below(0);
  });

  it("is infinite without a grant", () => {
    expect(smallestMarginUs(historyOf(ready))).to.equal(Number.POSITIVE_INFINITY);
  });
});
