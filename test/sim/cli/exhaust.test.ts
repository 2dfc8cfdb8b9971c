import { expect } from "chai";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { explore, type ExplorationCounts } from "../../../sim/exhaust/explore.js";
import { SMALL_SCOPES } from "../../../sim/exhaust/scopes.js";
import { callCommand, interrupted } from "../../support/sim/command.js";

const SCRIPT = fileURLToPath(new URL("../../../../scripts/exhaust.mjs", import.meta.url));

describe("npm run exhaust", () => {
  it("ends with 0 when no promise can be broken, and tells of every world", async function () {
    this.timeout(240_000);
    const { code, out } = await callCommand("exhaust", "--small");
    expect(code).to.equal(0);
    const counts = SMALL_SCOPES.map(({ title }) => {
      const line = out.split("\n").find((text) => text.startsWith(`${title}: `)) ?? "";
      const [, states, grants] =
        /: (\d+) states, \d+ steps, (\d+) grants judged, \d+ deep, \d+\.\d s$/.exec(line) ?? [];
      expect(Number(grants), line).to.be.above(500);
      expect(Number(states), line).to.be.above(5_000);
      return Number(states);
    });
    const sum = counts.reduce((total, count) => total + count, 0);
    expect(out).to.contain(`${sum} states in ${counts.length} scopes, no promise can be broken`);
  });

  it("ends with 1 when one can, and shows how", async function () {
    this.timeout(240_000);
    const { code, out } = await callCommand("exhaust-planted", "--small");
    expect(code).to.equal(1);
    expect(out).to.match(/^S1: .*\n {2}begin \d\n( {2}.+\n)+/m);
    expect(out).to.not.contain("no promise can be broken");
  });

  it("ends with 3, and says what it takes", async () => {
    const { code, err } = await callCommand("exhaust", "--smal");
    expect(code).to.equal(3);
    expect(err).to.contain("--smal");
    expect(err).to.contain("npm run exhaust -- [--small]");
    expect((await callCommand("exhaust", "--help")).code).to.equal(0);
  });

  it("ends with 130 on Ctrl-C, though the search never looks up", async function () {
    this.timeout(240_000);
    const child = spawn(process.execPath, [SCRIPT]);
    const { code, out, err } = await interrupted(child, /^two attempts, either may give up: /m);
    expect(code).to.equal(130);
    expect(err).to.match(/^ended by SIGINT: nothing is shown about the rest$/m);
    expect(out).to.not.contain("no promise can be broken");
  });
});

describe("an exhaustive search", () => {
  it("says how far it is, ever further", () => {
    const [scope] = SMALL_SCOPES;
    if (scope === undefined) throw new Error("there is no small world");
    const seen: ExplorationCounts[] = [];
    const { stateCount } = explore(scope, undefined, undefined, (counts) => seen.push(counts));
    expect(seen).to.have.length(Math.floor(stateCount / 20_000));
    expect(seen[0]).to.include({ stateCount: 20_000 });
    expect(seen[0]?.depth).to.be.above(5);
  });

  it("breaks off where there is more than it may remember", () => {
    const [scope] = SMALL_SCOPES;
    if (scope === undefined) throw new Error("there is no small world");
    expect(() => explore(scope, undefined, 1_000)).to.throw(RangeError, "more than 1000 states");
  });
});
