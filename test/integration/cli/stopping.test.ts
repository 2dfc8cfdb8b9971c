import { expect } from "chai";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { membersOf } from "../../../src/cli/exec/target.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { PATIENTLY, startCli, type CliProcess } from "../../support/cli.js";
import { noLockKeys } from "../../support/nodes.js";
import { StampFolder } from "../../support/watched-command.js";

/** Longer than a signal takes to be passed on, even if the machine stands still for a moment, ms. */
const WHILE_MS = 2_500;

describe("A command that is told to end", () => {
  let fleet: RedisFleet;
  let env: NodeJS.ProcessEnv;
  let stamps: StampFolder;
  let started: CliProcess[];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    env = { QUORATE_NODES: fleet.urls.join(",") };
  });
  after(() => fleet.stop());
  beforeEach(() => {
    stamps = new StampFolder();
    started = [];
  });
  afterEach(() => {
    // The guard then kills the command.
    for (const { child } of started) child.kill("SIGKILL");
    stamps[Symbol.dispose]();
  });

  /** Starts a command that ignores what it is told, with a child that does, too. */
  const start = async (word: string, ...args: readonly string[]): Promise<CliProcess> => {
    const child = stamps.script("child", stamps.stamper("child-alive"));
    const script = `echo $$ > ${stamps.file("pid")}; ${child} & ${stamps.stamper("alive")}`;
    const cli = startCli([word, "stubborn", ...PATIENTLY, ...args, "-c", script], { env });
    started.push(cli);
    await Promise.all(["child-alive", "alive"].map((file) => stamps.exists(file)));
    return cli;
  };
  const members = (): readonly number[] => membersOf({ groupId: Number(stamps.text("pid")) });

  for (const word of ["exec", "elect"]) {
    it(`is killed with its group if it does not within --stop-timeout: ${word}`, async () => {
      const cli = await start(word, "--stop-timeout", "1500ms");
      const sentMs = performance.now();
      cli.child.kill("SIGTERM");
      const { signal, stderr } = await cli.result;
      expect(performance.now() - sentMs, "its time").to.be.at.least(1_500);
      expect(signal).to.equal("SIGKILL");
      expect(stderr).to.match(
        /quorate: the command did not end within 1\.5 s of SIGTERM; killing the command\n/,
      );
      expect(members()).to.deep.equal([]);
      await noLockKeys(fleet.nodes);
    });
  }

  it("is told so, too, if it has only just become the leader", async () => {
    const cli = startCli(["elect", "early", ...PATIENTLY, "--", "sleep", "60"], { env });
    started.push(cli);
    cli.child.stderr.once("data", () => cli.child.kill("SIGTERM"));
    const { code, signal, stderr } = await cli.result;
    expect(stderr).to.match(/^quorate: now leading early, fencing token \d+\n$/);
    expect({ code, signal }).to.deep.equal({ code: null, signal: "SIGTERM" });
    await noLockKeys(fleet.nodes);
  });

  it("passes on how its command ended, by whatever signal", async function () {
    if (process.platform !== "linux") this.skip();
    const named = ["SIGKILL", "SIGSEGV", "SIGALRM", "SIGIO", "SIGSYS"] as const;
    // The first and the last real-time signals, and one that the C library keeps for itself.
    const unnamed = [32, 34, 35, 50, 64];
    const run = (end: string): CliProcess =>
      startCli(["exec", `how:${end}`, ...PATIENTLY, "-c", end], { env });
    const cases = [
      ...named.map((signal) => ({
        end: `kill -${constants.signals[signal]} $$`,
        signal,
        code: null,
      })),
      ...unnamed.map((n) => ({ end: `kill -${n} $$`, signal: null, code: 128 + n })),
      ...[0, 1, 34, 162, 255].map((code) => ({ end: `exit ${code}`, signal: null, code })),
    ];
    for (const { end, signal, code } of cases) {
      const { stderr, ...result } = await run(end).result;
      expect({ end, ...result }).to.include({ end, signal, code });
      expect(stderr).to.equal("");
    }
    // It is no success, so it runs again.
    const script = `[ -e ${stamps.file("twice")} ] || { : > ${stamps.file("twice")}; kill -40 $$; }`;
    const { code, stderr } = await startCli(["elect", "again", "-c", script], { env }).result;
    expect(stderr).to.include("the command ended with exit code 168; candidate again");
    expect(code).to.equal(0);
  }).timeout(120_000);

  for (const args of [[], ["--stop-timeout", "0"], ["--leave-group"], ["--on-loss", "ignore"]]) {
    it(`is killed with its group by a second signal: ${args.join(" ")}`, async () => {
      const cli = await start("exec", ...args);
      cli.child.kill("SIGHUP");
      cli.child.kill("SIGINT");
      await sleep(WHILE_MS);
      expect(members(), "of a group that was told once").to.have.length.above(1);
      cli.child.kill("SIGTERM");
      const { signal, stderr } = await cli.result;
      expect(signal).to.equal("SIGKILL");
      expect(stderr).to.match(/quorate: SIGTERM followed SIGINT; killing the command\n/);
      expect(members()).to.deep.equal([]);
      await noLockKeys(fleet.nodes);
    });
  }
});
