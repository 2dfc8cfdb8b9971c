import { expect } from "chai";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  callCommand,
  interrupted,
  runCommand,
  startCommand,
  type Ended,
} from "../../support/sim/command.js";

describe("npm run simulate", () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-simulate-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const simulate = (...argv: string[]): Promise<Ended> =>
    callCommand("simulate", ...argv, "--jobs", "1", "--out", dir);

  it("ends with 0 when all is well, and has said how far it was", function () {
    this.timeout(240_000);
    const argv = ["--profile", "timestamp", "--runs", "40", "--jobs", "1", "--out", dir];
    const { code, out, err } = runCommand("simulate", ...argv);
    expect(code).to.equal(0);
    expect(out).to.match(/^40 scenarios, \d+ events in \d+ s: \d+ runs a minute$/m);
    expect(out).to.match(/^smallest safety margin \d+\.\d{3} ms/m);
    expect(out).to.match(/^0 scenarios broke a promise$/m);
    const lines = err.trim().split("\n");
    expect(lines.map((line) => /^(\d+)\/40 scenarios/.exec(line)?.[1])).to.deep.equal(["20", "40"]);
    for (const line of lines) expect(line).to.match(/ {2}\d+ a minute {2}0 failed$/);
    expect(err, "nothing is drawn over where there is no terminal").to.not.contain("\r");
    expect(readdirSync(dir)).to.deep.equal([]);
  });

  const broken = [
    { code: 1, oracle: "S1", profile: "jump", seed: 4 },
    { code: 2, oracle: "L3", profile: "datagram", seed: 30 },
  ];
  for (const { code, oracle, profile, seed } of broken) {
    it(`ends with ${code} when ${oracle} is broken, and keeps how`, async function () {
      this.timeout(240_000);
      // The second from here on.
      const from = ["--seed", `${seed - 1}`, "--runs", "3"];
      const ended = await simulate("--profile", profile, "--oracle", oracle, ...from);
      expect(ended.code).to.equal(code);
      expect(ended.out).to.match(new RegExp(`^${oracle} violated by ${profile} seed \\d+: `, "m"));
      const path = /npm run replay -- (.*)/.exec(ended.out)?.[1] ?? "";
      expect(path.startsWith(join(dir, `${profile}-`)), path).to.equal(true);
      const again = await callCommand("replay", path);
      expect(again.code).to.equal(1);
      expect(again.out).to.contain(`##### ${oracle} `);
    });
  }

  for (const argv of [
    ["--runs", "many"],
    ["--profile", "sunny"],
    ["--oracle", "S9"],
    ["--runz", "1"],
  ]) {
    it(`ends with 3, and says what it takes: ${argv.join(" ")}`, async () => {
      const { code, out, err } = await simulate(...argv);
      expect(code).to.equal(3);
      expect(err.split("\n")[0]).to.contain(argv[0]);
      expect(err).to.contain("npm run simulate -- [--runs N]");
      expect(out).to.equal("");
    });
  }

  it("ends with 3 before any run where --out is a file", async () => {
    const { code, out, err } = await callCommand("simulate", "--out", "package.json");
    expect([code, out]).to.deep.equal([3, ""]);
    expect(err).to.contain("--out must be a directory, got the file package.json");
  });

  it("says what it takes", async () => {
    const { code, out } = await simulate("--help");
    expect(code).to.equal(0);
    for (const word of ["--oracle", "Ends with 0", "130"]) expect(out).to.contain(word);
  });

  it("ends with 130 on Ctrl-C, with what it has shown so far", async function () {
    this.timeout(240_000);
    const argv = ["--profile", "timestamp", "--runs", "400", "--jobs", "1", "--out", dir];
    const campaign = startCommand("simulate", ...argv);
    const { code, out, err } = await interrupted(campaign, /\/400 scenarios/);
    expect(code).to.equal(130);
    const done = /^stopped after (\d+) of 400 scenarios$/m.exec(err)?.[1];
    expect(Number(done)).to.be.within(40, 399);
    expect(out).to.match(new RegExp(`^${done} scenarios, `, "m"));
    expect(out).to.match(/^0 scenarios broke a promise$/m);
  });
});
