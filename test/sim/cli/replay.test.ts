import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { loadScenario, saveFailure } from "../../../src/sim/cli/failure-file.js";
import { generateScenario } from "../../../src/sim/generate.js";
import { simulate } from "../../../src/sim/simulate.js";

const CLI = new URL("../../../src/sim/cli/index.js", import.meta.url).href;

/** In a process of its own: what it prints is the point. */
function replay(...argv: string[]): { code: number | null; out: string } {
  const code = `import { replayMain } from ${JSON.stringify(CLI)};
process.exitCode = await replayMain(process.argv.slice(1));`;
  const args = ["--input-type=module", "-e", code, "--", ...argv];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { code: status, out: stdout };
}

describe("replaying a kept scenario", () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-replay-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it("does the same as before", async () => {
    const scenario = generateScenario(2, "crash");
    const path = saveFailure(dir, { violated: undefined, scenario });
    const { traceHash } = await simulate(loadScenario(path));
    expect(traceHash).to.equal((await simulate(scenario)).traceHash);
    const { code, out } = replay(path);
    expect(code).to.equal(0);
    expect(out).to.contain(`trace ${traceHash}, 0 violations`);
  });

  it("shows a window, and everything as JSON", () => {
    const scenario = generateScenario(2, "crash");
    const path = saveFailure(dir, { violated: undefined, scenario });
    const instants = [
      ...replay(path, "--around", "1500", "--window", "400").out.matchAll(/^ +(\d+\.\d{3}) /gm),
    ];
    expect(instants.length).to.be.above(0);
    for (const [, ms] of instants) expect(Number(ms)).to.be.within(1_100, 1_900);
    const { history } = JSON.parse(replay(path, "--json").out) as {
      history: { events: unknown[] };
    };
    expect(history.events.length).to.be.above(20);
  });

  it("says what is wrong with a file", () => {
    expect(replay(join(dir, "none.json")).code).to.equal(3);
    expect(replay().code).to.equal(3);
  });
});
