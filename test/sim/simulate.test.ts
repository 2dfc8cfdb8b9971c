import { expect } from "chai";
import { generateScenario } from "../../sim/generate.js";
import { PROFILES } from "../../sim/profiles.js";
import { recordedChoices, replayedChoices, seededChoices } from "../../sim/choices.js";
import type { RecordedChoice } from "../../sim/choices.js";
import type { Scenario } from "../../sim/scenario.js";
import { simulate } from "../../sim/simulate.js";

describe("a simulated run", () => {
  for (const profile of PROFILES) {
    it(`is the same for the same seed, after a trip through JSON as well (${profile})`, async () => {
      const first = await simulate(generateScenario(11, profile));
      const text = JSON.stringify(generateScenario(11, profile));
      const second = await simulate(JSON.parse(text) as Scenario);
      expect(second.traceHash).to.equal(first.traceHash);
      expect(first.history.events.length).to.be.above(20);
      const other = await simulate(generateScenario(12, profile));
      expect(other.traceHash).to.not.equal(first.traceHash);
    });
  }

  it("can be recorded and replayed", async () => {
    const scenario = generateScenario(3, "swarm");
    const log: RecordedChoice[] = [];
    const choices = recordedChoices(seededChoices(scenario.seed), log);
    const recorded = await simulate(scenario, { choices });
    const replayed = await simulate(scenario, { choices: replayedChoices(log) });
    expect(replayed.traceHash).to.equal(recorded.traceHash);
  });
});
