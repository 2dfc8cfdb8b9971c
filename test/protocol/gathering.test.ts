import { expect } from "chai";
import { keptNamesMs, missingKey } from "../../src/protocol/gathering.js";
import type { Vote, Votes } from "../../src/protocol/operation.js";
import { fault, foreign, granted, held } from "../support/votes.js";

describe("keptNamesMs", () => {
  for (const [says, waitedMs, nodeTimeoutMs, keptMs] of [
    ["is half of the wait at first: many that give up soon do not keep a name idle", 40, 200, 20],
    ["is no longer than a reservation then", 100, 200, 50],
    ["is that as long as it is longer", 400, 200, 50],
    ["is an eighth of the wait then", 8_000, 200, 1_000],
    ["is no shorter than a short reservation", 10, 4, 5],
    ["grows without limit: so in the end it is longer than others hold a name", 8e6, 200, 1e6],
  ] as const) {
    it(says, () => {
      expect(keptNamesMs(waitedMs, nodeTimeoutMs, 1)).to.equal(keptMs);
      expect(keptNamesMs(waitedMs, nodeTimeoutMs, 0)).to.equal(keptMs / 2);
    });
  }

  it("W8: differs for sets that have waited equally long, by a part that grows with the wait", () => {
    const [one, other] = [0.2, 0.6].map((unit) => keptNamesMs(8_000, 200, unit));
    expect([one, other]).to.deep.equal([600, 800]);
  });
});

describe("missingKey", () => {
  const a: Vote = { ...held(), key: "lock:a" };
  const b: Vote = { ...held(), key: "lock:b" };
  const rows: readonly [says: string, votes: Votes, missing: string | undefined][] = [
    ["is the one that all tell", [a, a, a], "lock:a"],
    ["is the one that most tell", [a, b, b], "lock:b"],
    ["is the first of equals", [b, a, granted(7)], "lock:b"],
    ["is that of a single node", [granted(7), granted(7), a], "lock:a"],
    ["is none where nobody tells one", [held(), fault("timeout"), undefined], undefined],
    ["is not that of foreign data: nobody can wait for it", [foreign(), foreign(), b], "lock:b"],
  ];
  for (const [says, votes, missing] of rows) {
    it(says, () => expect(missingKey(votes)).to.equal(missing));
  }
});
