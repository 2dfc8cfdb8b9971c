import { expect } from "chai";
import { affectedBy, importersIn } from "./affected.js";
import { BUILD, ENTRY } from "./broken-code.js";

describe("what a change of a file affects", () => {
  const importers = importersIn(BUILD, ENTRY);
  const affected = (file: string): readonly string[] => affectedBy([file], importers);

  for (const file of ["src/protocol/quorum.js", "src/script/embedded-lua.js", "sim/world.js"]) {
    it(`goes from ${file} to all that is simulated, and to each file once`, () => {
      expect(affected(file)).to.include.members([file, "sim/fleet.js", "sim/simulate.js", ENTRY]);
      expect(new Set(affected(file)).size).to.equal(affected(file).length);
    });
  }

  it("leaves alone what imports none of it", () => {
    const shared = ["src/memory/lua/lua-vm.js", "sim/oracles/exclusion.js", "sim/random.js"];
    for (const file of shared) {
      expect([...importers.keys()], "it is a part of the simulator").to.include(file);
      expect(affected("src/coordinator/round.js")).to.not.include(file);
    }
  });

  it("is nothing else where nobody imports it", () => {
    expect(affected("src/no-such-file.js")).to.deep.equal(["src/no-such-file.js"]);
  });
});
