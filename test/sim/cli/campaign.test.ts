import { expect } from "chai";
import { runTasks, tasksOf } from "../../../src/sim/cli/campaign.js";
import { parseSimulateArguments } from "../../../src/sim/cli/simulate-arguments.js";
import { PROFILES } from "../../../src/sim/profiles.js";

describe("the arguments of a campaign", () => {
  it("are all profiles by default", () => {
    expect(parseSimulateArguments([]).profiles).to.deep.equal(PROFILES);
  });

  it("are read", () => {
    const argv = ["--runs", "7", "--seed", "9", "--profile", "calm,swarm", "--jobs", "3"];
    expect(parseSimulateArguments(argv)).to.deep.include({
      runCount: 7,
      firstSeed: 9,
      profiles: ["calm", "swarm"],
      jobCount: 3,
    });
  });

  for (const argv of [
    ["--runs", "0"],
    ["--runs", "many"],
    ["--seed", "-1"],
    ["--jobs", "1.5"],
    ["--profile", "sunny"],
    ["--runz", "1"],
  ]) {
    it(`are refused: ${argv.join(" ")}`, () => {
      expect(() => parseSimulateArguments(argv)).to.throw(argv[0]?.slice(0, 6));
    });
  }
});

describe("the tasks of a campaign", () => {
  for (const runs of [1, 2, 39, 40, 41, 1_000]) {
    it(`are ${runs} scenarios, no two of them the same`, () => {
      const given = parseSimulateArguments(["--runs", `${runs}`, "--profile", "calm,crash,pause"]);
      const all = tasksOf(given).flatMap(({ profile, firstSeed, count }) =>
        Array.from({ length: count }, (_, index) => `${profile} ${firstSeed + index}`),
      );
      expect(all).to.have.length(runs);
      expect(new Set(all).size).to.equal(runs);
    });
  }
});

describe("a campaign on two processes", () => {
  const given = parseSimulateArguments(["--runs", "48", "--profile", "calm,network"]);

  it("runs every scenario, and adds up what they have shown", async function () {
    this.timeout(60_000);
    let progressCount = 0;
    const total = await runTasks(tasksOf(given), 2, () => progressCount++);
    expect(total.runCount).to.equal(48);
    expect(progressCount).to.equal(4);
    expect(total.seen.grant).to.be.within(1, 48);
    expect(total.marginUs).to.be.above(0);
    expect(total.failures).to.deep.equal([]);
    const again = await runTasks(tasksOf(given), 1, () => {});
    expect(again, "on one process").to.deep.equal(total);
  });

  it("breaks off when a worker does", async () => {
    const broken = [{ profile: "no such profile" as "calm", firstSeed: 1, count: 1 }];
    const failure = await runTasks(broken, 1, () => {}).catch((error: Error) => error.message);
    expect(failure).to.match(/^no such profile seed 1: /);
  });
});
