import { expect } from "chai";
import { generateScenario } from "../../sim/generate.js";
import { MODEL_PROFILES, PROFILES } from "../../sim/profiles.js";
import { recordedChoices, replayedChoices, seededChoices } from "../../sim/choices.js";
import type { RecordedChoice } from "../../sim/choices.js";
import { simulate } from "../../sim/simulate.js";

describe("a simulated run", () => {
  for (const profile of PROFILES) {
    it(`is the same for the same seed (${profile})`, async () => {
      const scenario = generateScenario(11, profile);
      const first = await simulate(scenario);
      const second = await simulate(generateScenario(11, profile));
      expect(second.traceHash).to.equal(first.traceHash);
      expect(first.history.events.length).to.be.above(20);
      const other = await simulate(generateScenario(12, profile));
      expect(other.traceHash).to.not.equal(first.traceHash);
    });
  }

  it("survives a trip through JSON", async () => {
    for (const profile of MODEL_PROFILES) {
      const scenario = generateScenario(5, profile);
      const copy = JSON.parse(JSON.stringify(scenario)) as typeof scenario;
      expect((await simulate(copy)).traceHash).to.equal((await simulate(scenario)).traceHash);
    }
  });

  it("can be recorded and replayed", async () => {
    const scenario = generateScenario(3, "swarm");
    const log: RecordedChoice[] = [];
    const choices = recordedChoices(seededChoices(scenario.seed), log);
    const recorded = await simulate(scenario, { choices });
    const replayed = await simulate(scenario, { choices: replayedChoices(log) });
    expect(replayed.traceHash).to.equal(recorded.traceHash);
  });
});
