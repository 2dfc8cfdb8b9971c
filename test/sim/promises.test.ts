import { expect } from "chai";
import { SOMETIMES, type Coverage } from "../../sim/oracles/coverage.js";
import { BESIDE_OTHERS } from "../../sim/oracles/beside-others.js";
import { MODEL_PROFILES, type Profile } from "../../sim/profiles.js";
import { howMany } from "../support/long.js";
import { promisedCount, RUN_COUNT } from "../support/sim/promised.js";
import { runSeeds } from "../support/sim/run-seeds.js";

/** Several times what a profile takes alone on a core: the tests that keep time come first. */
const PATIENCE_MS = 900_000;

/**
 * How often foreign code has to meet ours in 76 scenarios of a profile that is about it: half of what was counted.
 * In few scenarios, which differ more, a quarter of their share of it.
 */
const LEAST: Readonly<Partial<Record<Profile, Partial<Coverage>>>> = {
  timestamp: {
    ...{ foreignHeld: 150, foreignKeptOut: 300, keptOutByForeign: 600 },
    ...{ tookOverForeign: 18, robbedByForeign: 1 },
  },
  redisson: {
    ...{ foreignHeld: 150, foreignRenewed: 140, foreignWoken: 10, foreignKeptOut: 400 },
    ...{ keptOutByForeign: 900, tookOverForeign: 70, robbedByForeign: 20 },
  },
  "redlock-beside": {
    ...{ foreignHeld: 160, foreignRenewed: 130, foreignKeptOut: 145 },
    ...{ keptOutByForeign: 900, tookOverForeign: 40 },
  },
};

describe("inside the model, every promise holds", () => {
  const covered: Coverage[] = [];

  for (const profile of MODEL_PROFILES) {
    const count = promisedCount(profile);
    it(`in ${count} scenarios of ${profile}`, async function () {
      this.timeout(PATIENCE_MS);
      const { failures, coverage, marginUs } = await runSeeds(profile, 1, count);
      covered.push(coverage);
      expect(failures).to.deep.equal([]);
      for (const what of BESIDE_OTHERS) {
        const least = LEAST[profile]?.[what];
        if (least === undefined) expect(coverage[what], what).to.equal(0);
        else
          expect(coverage[what], what).to.be.at.least(
            Math.floor((least * count) / howMany(4 * 76, 76)),
          );
      }
      // A clock that is slewed for a while is foreseen to be slewed for good.
      if (profile === "steps") return;
      expect(marginUs, "µs between the end of a belief and the first free quorum").to.be.above(0);
    });
  }

  it(`what an operator does not undo still holds where one steps in (${promisedCount("force")} scenarios)`, async function () {
    this.timeout(PATIENCE_MS);
    const { failures, coverage } = await runSeeds("force", 1, promisedCount("force"));
    covered.push(coverage);
    expect(failures).to.deep.equal([]);
  });

  it("and everything that ought to happen sometimes has happened", () => {
    const seen = SOMETIMES.filter((what) => covered.some((coverage) => coverage[what] > 0));
    // Stores turn nobody away while the model holds.
    const expected = SOMETIMES.filter((what) => what !== "storeRejected");
    expect(seen).to.include.members(expected);
  });
});

describe("outside of the model", () => {
  const wild: readonly Profile[] = ["jump", "wildskew", "amnesia-without-quarantine"];
  for (const profile of wild) {
    it(`two hold at once (${profile}): the simulator is strong enough to show it`, async function () {
      this.timeout(PATIENCE_MS);
      const { ids } = await runSeeds(profile, 1, 400, { oracles: ["S1"], until: "S1" });
      expect([...ids]).to.deep.equal(["S1"]);
    });

    it(`what does not need clocks still holds (${profile})`, async function () {
      this.timeout(PATIENCE_MS);
      const { failures } = await runSeeds(profile, 1, RUN_COUNT);
      expect(failures).to.deep.equal([]);
    });
  }

  it("a pause between check and write loses an update, unless the store checks tokens", async function () {
    this.timeout(PATIENCE_MS);
    const profile = "pause-after-check";
    const unfenced = await runSeeds(profile, 1, 100, { oracles: ["F3"], until: "F3" });
    expect([...unfenced.ids]).to.deep.equal(["F3"]);
    const fenced = await runSeeds(profile, 1, RUN_COUNT);
    expect(fenced.failures).to.deep.equal([]);
    expect(fenced.coverage.storeRejected).to.be.above(0);
  });
});
