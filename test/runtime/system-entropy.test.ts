import { expect } from "chai";
import { systemEntropy } from "../../src/runtime/system-entropy.js";

describe("systemEntropy", () => {
  it("makes ids of 22 characters that need no quoting, all different, over many refills", () => {
    const entropy = systemEntropy();
    const ids = Array.from({ length: 2_000 }, () => entropy.id());
    expect(ids.every((id) => /^[\w-]{22}$/.test(id))).to.equal(true);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("shares no ids between two instances", () => {
    const [a, b] = [systemEntropy(), systemEntropy()];
    const ids = Array.from({ length: 300 }, () => [a.id(), b.id()]).flat();
    expect(new Set(ids).size).to.equal(600);
  });

  it("draws units from [0, 1)", () => {
    const entropy = systemEntropy();
    const units = Array.from({ length: 1_000 }, () => entropy.unit());
    expect(Math.min(...units)).to.be.at.least(0);
    expect(Math.max(...units)).to.be.below(1);
    expect(new Set(units).size).to.be.above(900);
  });
});
