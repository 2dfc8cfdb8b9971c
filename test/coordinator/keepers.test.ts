import { expect } from "chai";
import { Keepers } from "../../src/coordinator/keepers.js";

describe("Keepers", () => {
  it("are counted by name, until they have ended", () => {
    const keepers = new Keepers();
    const counts = (): number[] => ["a", "b"].map((lockKey) => keepers.countOf(lockKey));
    expect(counts()).to.deep.equal([0, 0]);
    keepers.add("a", 1);
    keepers.add("a", 1);
    keepers.add("b", 1);
    expect(counts()).to.deep.equal([2, 1]);
    keepers.add("a", -1);
    keepers.add("b", -1);
    expect(counts()).to.deep.equal([1, 0]);
  });
});
