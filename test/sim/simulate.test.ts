import { expect } from "chai";
import { generateScenario } from "../../sim/generate.js";
import { PROFILES } from "../../sim/profiles.js";
import { recordedChoices, replayedChoices, seededChoices } from "../../sim/choices.js";
import type { RecordedChoice } from "../../sim/choices.js";
import { simulate } from "../../sim/simulate.js";

/** Paths of what JSON does not carry. A property that is undefined means the same as none. */
function lostInJson(value: unknown, path = ""): readonly string[] {
  if (value === undefined) return path.endsWith("]") ? [path] : [];
  const isPlain =
    Array.isArray(value) || Object.prototype.toString.call(value) === "[object Object]";
  if (!isPlain) return Object.is(JSON.parse(JSON.stringify(value)), value) ? [] : [path];
  return Object.entries(value as object).flatMap(([key, inner]) =>
    lostInJson(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`),
  );
}

describe("a simulated run", () => {
  // Of each profile, the pinned hash tells: see run-hash.test.ts.
  it("is the same for the same seed, and another for another", async () => {
    const [first, second, other] = await Promise.all(
      [11, 11, 12].map((seed) => simulate(generateScenario(seed, "swarm"))),
    );
    expect(second?.traceHash).to.equal(first?.traceHash);
    expect(other?.traceHash).to.not.equal(first?.traceHash);
  });

  for (const profile of PROFILES) {
    it(`has a scenario that a trip through JSON leaves as it is (${profile})`, () => {
      for (let seed = 1; seed <= 5; seed++) {
        const scenario = generateScenario(seed, profile);
        expect(scenario.workload.length).to.be.above(0);
        expect(lostInJson(scenario), `seed ${seed}`).to.deep.equal([]);
      }
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
