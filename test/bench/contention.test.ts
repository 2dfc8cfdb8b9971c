import { expect } from "chai";
import { sampleOf } from "../../bench/contended/contention.js";

describe("sampleOf a contention", () => {
  it("adds up processes, and says how even the shares are", () => {
    const even = sampleOf(
      [
        { counts: [10, 10], waitsMs: [1, 3] },
        { counts: [10, 10], waitsMs: [2, 4] },
      ],
      2_000,
      80,
    );
    expect(even).to.deep.equal({
      handOversPerSecond: 20,
      waitMeanMs: 2.5,
      waitP50Ms: 3,
      waitP99Ms: 4,
      waitMaxMs: 4,
      jainIndex: 1,
      callsPerNode: 2,
    });
  });

  it("has a Jain index of 1/n where one of n has everything", () => {
    const { jainIndex } = sampleOf([{ counts: [8, 0, 0, 0], waitsMs: [1] }], 1_000, 8);
    expect(jainIndex).to.equal(0.25);
  });
});
