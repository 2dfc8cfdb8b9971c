import { expect } from "chai";
import { HASHED_RUNS_A_PROFILE, runHashes, totalHash } from "../../sim/run-hash.js";
import { howMany } from "../support/long.js";

/**
 * Found on Node 20, 22 and 24, by number of runs of each profile. Whoever changes the simulator or the code under it
 * will find other numbers here, and takes them over once `npm run simulate -- --hash` says the same on all of them.
 */
const PINNED: Readonly<Record<number, string>> = {
  2: "fc5c61f2",
  [HASHED_RUNS_A_PROFILE]: "726419d7",
};

const COUNT = howMany(2, HASHED_RUNS_A_PROFILE);

describe("the hash of simulated runs", () => {
  it(`is the same on every machine and every version of Node (${COUNT} runs a profile)`, async function () {
    this.timeout(240_000);
    expect(totalHash(await runHashes(COUNT))).to.equal(PINNED[COUNT]);
  });

  it("of a profile does not depend on which others there are", async () => {
    const [one, other] = await Promise.all([
      runHashes(1, ["calm", "crash"]),
      runHashes(1, ["pause", "crash"]),
    ]);
    expect(one.get("crash")).to.equal(other.get("crash"));
    expect([...one.keys()]).to.deep.equal(["calm", "crash"]);
  });

  it("in total depends on each profile's, and not on their order", () => {
    const total = totalHash(new Map(Object.entries({ calm: "1", crash: "2" })));
    expect(totalHash(new Map(Object.entries({ crash: "2", calm: "1" })))).to.equal(total);
    expect(totalHash(new Map(Object.entries({ calm: "2", crash: "1" })))).to.not.equal(total);
    expect(totalHash(new Map(Object.entries({ calm: "1" })))).to.not.equal(total);
  });
});
