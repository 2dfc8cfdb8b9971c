import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFailure, saveFailure, type FailureFile } from "../../../sim/cli/failure-file.js";
import { generateScenario } from "../../../sim/generate.js";
import { linkTo } from "../../../sim/scenario-link.js";
import { simulate } from "../../../sim/simulate.js";
import { play } from "../../../site/playground/world/play.js";
import { SCENES, type Scene } from "../../../site/playground/world/scenes.js";
import { callCommand, runCommand } from "../../support/sim/command.js";

const replay = (...argv: string[]) => callCommand("replay", ...argv);

describe("replaying a kept scenario", () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-replay-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it("does the same as before", async () => {
    const scenario = generateScenario(2, "crash");
    const path = saveFailure(dir, { violated: undefined, scenario });
    const { traceHash } = await simulate(loadFailure(path).scenario);
    expect(traceHash).to.equal((await simulate(scenario)).traceHash);
    const { code, out } = runCommand("replay", path);
    expect(code).to.equal(0);
    expect(out).to.contain(`trace ${traceHash}, 0 violations`);
  });

  it("takes a link of the playground, and plays it with a naive Redlock as well", async () => {
    const scene = SCENES.find(({ id }) => id === "clock-jump") as Scene;
    const { scenario } = scene;
    const link = linkTo("file:///playground.html#elsewhere", { scene: scene.id, scenario });
    const match = await play(scenario);
    const ours = await replay(link);
    expect(ours.out).to.contain(`trace ${match.quorate.traceHash}, 0 violations`);
    expect(ours.code).to.equal(0);
    const naive = await replay(link, "--naive");
    expect(naive.out).to.contain(`trace ${match.naive.traceHash}, 2 violations`);
    expect(naive.code).to.equal(1);
  });

  it("refuses a link that was cut off", async () => {
    const link = linkTo("file:///playground.html", { scenario: generateScenario(1, "calm") });
    const { code, err } = await replay(link.slice(0, 200));
    expect(code).to.equal(3);
    expect(err).to.contain("the link is no scenario");
  });

  it("shows a window, and everything as JSON", async () => {
    const scenario = generateScenario(2, "crash");
    const path = saveFailure(dir, { violated: undefined, scenario });
    const instants = [
      ...(await replay(path, "--around", "1500", "--window", "400")).out.matchAll(
        /^ +(\d+\.\d{3}) /gm,
      ),
    ];
    expect(instants.length).to.be.above(0);
    for (const [, ms] of instants) expect(Number(ms)).to.be.within(1_100, 1_900);
    const { history } = JSON.parse((await replay(path, "--json")).out) as {
      history: { events: unknown[] };
    };
    expect(history.events.length).to.be.above(20);
  });

  it("breaks what it was kept for, also where its profile does not promise it", async () => {
    const { scenario, violated } = await brokenOutsideTheModel();
    const path = saveFailure(dir, { violated, scenario });
    const { code, out } = await replay(path);
    expect(code).to.equal(1);
    expect(out).to.match(/##### S1 /);
    expect(out).to.match(/, [1-9]\d* violations$/m);
    const bare = join(dir, "bare.json");
    writeFileSync(bare, JSON.stringify(scenario));
    expect((await replay(bare)).code, "nothing says that S1 is in question").to.equal(0);
  });

  it("says what it takes", async () => {
    const { code, out } = await replay("--help");
    expect(code).to.equal(0);
    expect(out).to.match(/^npm run replay -- FILE/);
  });

  const noScenario: readonly [string, string, RegExp][] = [
    ["is not there", "", /ENOENT.*none\.json/],
    ["is no JSON", "not JSON", /given\.json is no scenario: .*JSON/],
    ["holds nothing", "null", /given\.json is no scenario: it has no workload/],
    ["holds something else", "{}", /given\.json is no scenario: it has no workload/],
  ];
  for (const [title, text, message] of noScenario) {
    it(`ends with 3 for a file that ${title}`, async () => {
      const path = join(dir, text === "" ? "none.json" : "given.json");
      if (text !== "") writeFileSync(path, text);
      const { code, err } = await replay(path);
      expect(code).to.equal(3);
      expect(err).to.match(message);
    });
  }

  const badArguments: readonly [string[], RegExp][] = [
    [[], /^give the file of a scenario/],
    [["a.json", "--round", "5"], /--round/],
    [["a.json", "--around", "noon"], /^--around and --window must be numbers, got noon/],
  ];
  for (const [argv, message] of badArguments) {
    it(`ends with 3, and says what it takes: ${argv.join(" ") || "nothing"}`, async () => {
      const { code, err } = await replay(...argv);
      expect(code).to.equal(3);
      expect(err).to.match(message);
      expect(err).to.contain("npm run replay -- FILE");
    });
  }
});

/** The first scenario in which clocks that jump let two hold a lock at once. */
async function brokenOutsideTheModel(): Promise<FailureFile> {
  for (let seed = 1; seed <= 400; seed++) {
    const scenario = generateScenario(seed, "jump");
    const { violations } = await simulate(scenario, { oracles: ["S1"] });
    if (violations[0] !== undefined) return { violated: violations[0], scenario };
  }
  throw new Error("no jump of a clock let two hold at once");
}
