import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../testing/raw-client.js";
import { MarkedRun } from "./marked-run.js";
import { sampleHistory } from "./sample-history.js";

describe("The exit code of a campaign", function () {
  this.timeout(150_000);

  async function judgeAgain(options: { isSafe: boolean }): Promise<number | null> {
    const lines = sampleHistory(options).records.map((record) => `${JSON.stringify(record)}\n`);
    const files = { "history.ndjson": lines.join("") };
    using run = new MarkedRun(["--again", "history.ndjson"], files);
    return await run.ended;
  }

  it("is 0 when all is well", async () => {
    expect(await judgeAgain({ isSafe: true })).to.equal(0);
  });

  it("is 1 when a promise is broken", async () => {
    expect(await judgeAgain({ isSafe: false })).to.equal(1);
  });

  for (const args of [["--seed", "x"], ["--no-such-option"], ["--faults", "flood"]]) {
    it(`is 3 for ${args.join(" ")}, which it explains`, async () => {
      using run = new MarkedRun(args);
      expect(await run.ended).to.equal(3);
      expect(run.output).to.include(args[0]).and.include("usage: npm run chaos");
    });
  }

  it("is 3 when the harness fails", async () => {
    using run = new MarkedRun(["--again", "no-such-file.ndjson"]);
    expect(await run.ended).to.equal(3);
  });
});

const suite = process.platform === "linux" ? describe : describe.skip;

/** Only Linux shows which processes belong to a run. */
suite("A campaign that is interrupted", function () {
  this.timeout(150_000);

  const CLIENT = "client/main.js";
  /** Whatever the server calls itself. */
  const SERVER = "-server 127.0.0.1:";

  function pidsOf(run: MarkedRun, word: string): number[] {
    return run.processes.flatMap(({ pid, command }) => (command.includes(word) ? pid : []));
  }

  /** A campaign whose servers and clients run. */
  async function started(faults: string): Promise<MarkedRun> {
    const args = `--seed 3 --minutes 5 --nodes 3 --clients 2 --faults ${faults}`;
    const run = new MarkedRun(args.split(" "));
    await until(() => pidsOf(run, SERVER).length === 3, 30_000);
    await until(() => pidsOf(run, CLIENT).length === 2, 30_000);
    expect(run.files).to.not.deep.equal([]);
    return run;
  }

  async function expectNothingLeft(run: MarkedRun): Promise<void> {
    await until(() => run.processes.length === 0, 30_000);
    await until(() => run.files.length === 0, 30_000);
  }

  function expectNoScratch(run: MarkedRun): void {
    expect(readdirSync(join(run.dir, ".tmp", "chaos-runs"))).to.deep.equal([]);
  }

  it("judges what there is, makes its report, ends with 130, and leaves nothing running", async () => {
    using run = await started("freeze,clientFreeze,kill");
    run.interrupt();
    expect(await run.ended, run.output).to.equal(130);
    expect(existsSync(join(run.dir, "chaos-results", "3.html"))).to.equal(true);
    await expectNothingLeft(run);
    expectNoScratch(run);
  });

  it("ends at once when it is interrupted again, and leaves nothing running", async () => {
    using run = await started("scriptFlush");
    // It does not finish, and is waited for.
    for (const pid of pidsOf(run, CLIENT)) process.kill(pid, "SIGSTOP");
    run.interrupt();
    await until(() => run.output.includes("once more ends it at once"), 30_000);
    // One that comes sooner could be the first, passed on by the launcher.
    await sleep(600);
    expect(run.child.exitCode).to.equal(null);
    run.interrupt();
    expect(await run.ended, run.output).to.equal(130);
    await expectNothingLeft(run);
    expectNoScratch(run);
  });

  it("leaves nothing running when it is killed, nor anything that was stopped", async () => {
    using run = await started("scriptFlush");
    for (const pid of pidsOf(run, CLIENT)) process.kill(pid, "SIGSTOP");
    run.child.kill("SIGKILL");
    await run.ended;
    await expectNothingLeft(run);
  });
});
