import { expect } from "chai";
import type { OracleId } from "../../sim/oracles/history.js";
import { generateScenario } from "../../sim/generate.js";
import type { Scenario } from "../../sim/scenario.js";
import { shrink } from "../../sim/shrink.js";
import { simulate } from "../../sim/simulate.js";

const size = ({ faults, workload, clients }: Scenario): number =>
  faults.length + workload.length + clients.length;

describe("shrinking a scenario", () => {
  it("keeps what the failure needs, and nothing else that can go", async () => {
    const scenario = generateScenario(4, "swarm");
    const needed = scenario.workload[3];
    const smallest = await shrink(scenario, async ({ workload }) =>
      workload.some(({ atMs, client }) => atMs === needed?.atMs && client === needed.client),
    );
    expect(smallest.workload).to.have.length(1);
    expect(smallest.workload[0]?.atMs).to.equal(needed?.atMs);
    expect(smallest.faults).to.deep.equal([]);
    expect(smallest.network.dropPerMille).to.equal(0);
    expect(smallest.clients.length).to.equal((needed?.client ?? 0) + 1);
  });

  it("takes code out that is not ours, and what befell it", async () => {
    const scenario = generateScenario(3, "redlock-beside");
    const needed = scenario.foreign?.[0]?.sessions[1];
    expect(scenario.foreign?.length).to.be.above(1);
    const smallest = await shrink(scenario, async ({ foreign = [] }) => {
      return foreign[0]?.sessions.some(({ atMs }) => atMs === needed?.atMs) === true;
    });
    expect(smallest.foreign?.map(({ sessions }) => sessions)).to.deep.equal([[needed]]);
    expect(smallest.faults).to.deep.equal([]);
    expect(smallest.clients).to.have.length(1);
  });

  it("leaves alone what fails only as a whole", async () => {
    const scenario = generateScenario(4, "swarm");
    const text = JSON.stringify(scenario);
    expect(await shrink(scenario, async (other) => JSON.stringify(other) === text)).to.equal(
      scenario,
    );
  });

  it("stops when the tries are used up", async () => {
    let tryCount = 0;
    await shrink(
      generateScenario(4, "swarm"),
      async () => {
        tryCount++;
        return tryCount % 2 === 0;
      },
      17,
    );
    expect(tryCount).to.be.at.most(17);
  });

  it("makes a scenario smaller in which two hold at once", async () => {
    const oracles: readonly OracleId[] = ["S1"];
    const stillFails = async (scenario: Scenario): Promise<boolean> =>
      (await simulate(scenario, { oracles })).violations.length > 0;
    for (let seed = 1; ; seed++) {
      const scenario = generateScenario(seed, "jump");
      if (!(await stillFails(scenario))) continue;
      const smallest = await shrink(scenario, stillFails, 100);
      expect(await stillFails(smallest)).to.equal(true);
      expect(size(smallest)).to.be.below(size(scenario));
      return;
    }
  });
});
