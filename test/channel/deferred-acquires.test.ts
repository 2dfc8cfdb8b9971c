import { expect } from "chai";
import { createHash } from "node:crypto";
import { HeardCalls } from "../../src/channel/deferred-acquires.js";
import type { NodeGrant } from "../../src/protocol/node-messages.js";

/** As the node writes it. */
function grantOf(over: Partial<NodeGrant> = {}, ownerId = "owner", recordId = "record"): NodeGrant {
  const { number = 20, fence = 7 } = over;
  const proof = createHash("sha1")
    .update(`${ownerId} ${recordId} ${number} ${fence}`)
    .digest("hex");
  return { lockKey: "lock:a", fence, number, isWaitedFor: false, proof, ...over };
}

function heard(): HeardCalls {
  const calls = new HeardCalls();
  for (const number of [10, 20, 30])
    calls.add({ number, count: 3, sentMs: 100 * number, recordId: "record" });
  return calls;
}

describe("HeardCalls", () => {
  for (const [first, number] of [
    [10, 10],
    [20, 20],
    [20, 22],
    [30, 31],
  ] as const) {
    it(`dates a grant by when the call was sent that it names: ${number}`, () => {
      expect(heard().dateOf(grantOf({ number }), "owner")).to.equal(100 * first);
    });
  }

  for (const [title, grant] of Object.entries({
    "that names a call in which nobody waited": grantOf({ number: 23 }),
    "that names a call before the first": grantOf({ number: 9 }),
    "that was proven for another owner": grantOf({}, "another"),
    "that was proven by another record": grantOf({}, "owner", "another"),
    "whose proof is for another call": { ...grantOf({ number: 10 }), number: 20 },
    "whose proof is for another fence": { ...grantOf({ fence: 8 }), fence: 7 },
    "whose proof is anything": grantOf({ proof: "0".repeat(40) }),
  })) {
    it(`dates none ${title}`, () => {
      expect(heard().dateOf(grant, "owner")).to.equal(undefined);
    });
  }

  it("proves it by the record that the node had when it was called", () => {
    const calls = heard();
    calls.add({ number: 40, count: 1, sentMs: 4_000, recordId: "later" });
    expect(calls.dateOf(grantOf({}, "owner", "later"), "owner")).to.equal(undefined);
    expect(calls.dateOf(grantOf({ number: 40 }, "owner", "later"), "owner")).to.equal(4_000);
  });

  it("knows nothing of calls of a connection that has closed", () => {
    const calls = heard();
    calls.clear();
    expect(calls.dateOf(grantOf(), "owner")).to.equal(undefined);
  });

  it("forgets the oldest of very many, and always knows the last thousand", () => {
    const calls = new HeardCalls();
    for (let number = 1; number <= 10_000; number++) {
      calls.add({ number, count: 1, sentMs: number, recordId: "record" });
      const known = Math.max(1, number - 1_000);
      if (number % 499 === 0)
        expect(calls.dateOf(grantOf({ number: known }), "owner")).to.equal(known);
    }
    expect(calls.dateOf(grantOf({ number: 7_000 }), "owner")).to.equal(undefined);
  });
});
