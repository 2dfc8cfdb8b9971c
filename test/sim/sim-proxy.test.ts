import { expect } from "chai";
import { SimProxy, type LastReplies, type MixupKind } from "../../sim/sim-proxy.js";

/** What a client gets for replies 1 to 4, of which the second is struck. */
function got(how: MixupKind, last: LastReplies = new Map(), count = 2): unknown[] {
  const proxy = new SimProxy("c0-n0", last);
  const values: unknown[] = [];
  for (const value of [1, 2, 3, 4]) {
    const mixup = value === 2 ? { how, perMille: 1_000, count } : undefined;
    proxy.pass({ value }, mixup, (reply) => values.push("value" in reply && reply.value));
  }
  return values;
}

describe("SimProxy", () => {
  for (const [how, values] of [
    ["early", [1, 1, 1, 2, 3, 4]],
    ["lost", [1, 3, 4]],
    ["swapped", [1, 3, 2, 4]],
    ["doubled", [1, 2, 2, 3, 4]],
    ["another's", [1, 99, 3, 4]],
  ] as const) {
    it(`passes on a reply that is ${how}`, () => {
      const last: LastReplies = new Map([
        ["c1-n0", { value: 98 }],
        ["c2-n0", { value: 99 }],
      ]);
      expect(got(how, last)).to.deep.equal(values);
    });
  }

  it("takes an earlier reply of this client where there is no other's", () => {
    expect(got("another's")).to.deep.equal([1, 1, 3, 4]);
  });

  it("remembers the last reply of each, in the order in which they came", () => {
    const last: LastReplies = new Map();
    got("lost", last);
    expect([...last]).to.deep.equal([["c0-n0", { value: 4 }]]);
  });
});
