import { expect } from "chai";
import type { OracleId } from "../../../sim/oracles/history.js";
import { runTasks, tasksOf } from "../../../sim/cli/run-tasks.js";
import { parseSimulateArguments } from "../../../sim/cli/simulate-arguments.js";
import { addRun, emptyTally } from "../../../sim/cli/tally.js";
import { generateScenario } from "../../../sim/generate.js";
import { PROFILES } from "../../../sim/profiles.js";
import { simulate, type RunResult } from "../../../sim/simulate.js";

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

  it("say who judges, or leave it to the profiles", () => {
    expect(parseSimulateArguments([]).oracles).to.equal(undefined);
    const given = parseSimulateArguments([
      "--oracle",
      "S1,F3",
      "--profile",
      "jump",
      "--runs",
      "30",
    ]);
    expect(given.oracles).to.deep.equal(["S1", "F3"]);
    for (const { oracles } of tasksOf(given)) expect(oracles).to.deep.equal(["S1", "F3"]);
  });

  for (const argv of [
    ["--runs", "0"],
    ["--runs", "many"],
    ["--seed", "-1"],
    ["--jobs", "1.5"],
    ["--profile", "sunny"],
    ["--oracle", "s1"],
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
  const tasks = (["skew", "timestamp"] as const).flatMap((profile) =>
    [1, 4].map((firstSeed) => ({ profile, firstSeed, count: 3 })),
  );

  it("runs every scenario, and adds up what they have shown", async () => {
    let progressCount = 0;
    const total = await runTasks(tasks, 2, () => progressCount++);
    expect(total.runCount).to.equal(12);
    expect(progressCount).to.equal(4);
    expect(total.seen.grant).to.be.within(1, 12);
    expect(total.marginUs).to.be.above(0);
    expect(total.failures).to.deep.equal([]);
    const again = await runTasks(tasks, 1, () => {});
    expect(again, "on one process").to.deep.equal(total);
  });

  it("ends at once when it is told to, with what was done by then", async () => {
    const controller = new AbortController();
    const stopEarly = (): void => controller.abort();
    const total = await runTasks(tasks, 1, stopEarly, controller.signal);
    expect(total.runCount).to.equal(3);
  });

  it("breaks off when a worker does", async () => {
    const broken = [{ profile: "no such profile" as "calm", firstSeed: 1, count: 1 }];
    const failure = await runTasks(broken, 1, () => {}).catch((error: Error) => error.message);
    expect(failure).to.match(/^no such profile seed 1: /);
  });
});

describe("a scenario that breaks several promises", () => {
  const result = async (...ids: OracleId[]): Promise<RunResult> => {
    const run = await simulate(generateScenario(1, "calm"));
    const violations = ids.map((id, index) => ({ id, atUs: index, message: "" }));
    return { ...run, violations };
  };

  for (const [ids, told] of [
    [["L1", "S4", "S1"], "S4"],
    [["L1", "L2"], "L1"],
    [["L2", "R1"], "R1"],
  ] as const) {
    it(`${ids.join(", ")} is told for ${told}: safety before liveness, then what came first`, async () => {
      const tally = emptyTally();
      addRun(tally, { profile: "calm", seed: 1, isInModel: true }, await result(...ids));
      expect(tally.failures.map(({ first }) => first.id)).to.deep.equal([told]);
    });
  }
});
