import { expect } from "chai";
import {
  CONTENDED_MS,
  ContendedNames,
  MAX_CONTENDED_NAMES,
} from "../../src/coordinator/contended-names.js";
import { keysOf } from "../../src/kinds/exclusive.js";

const keys = (name: string | number) => keysOf("lock:", String(name));

describe("ContendedNames", () => {
  it("remembers a name for a while after it was contended last", () => {
    const names = new ContendedNames();
    names.onGranted(keys("a"), true, 0);
    names.onGranted(keys("a"), true, 100);
    expect(names.has(keys("a"), CONTENDED_MS + 99)).to.equal(true);
    expect(names.has(keys("a"), CONTENDED_MS + 100)).to.equal(false);
    expect(names.has(keys("b"), 100)).to.equal(false);
    names.onGranted(keys("a"), false, 100);
    expect(names.has(keys("a"), 100)).to.equal(false);
  });

  it("forgets what was contended the longest ago once there are too many", () => {
    const names = new ContendedNames();
    for (let name = 0; name < MAX_CONTENDED_NAMES; name++) names.onGranted(keys(name), true, 0);
    names.onGranted(keys(0), true, 0);
    names.onGranted(keys("more"), true, 0);
    expect(names.has(keys(0), 0)).to.equal(true);
    expect(names.has(keys(1), 0)).to.equal(false);
    expect(names.has(keys(2), 0)).to.equal(true);
  });
});
