import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { RedisFleet } from "../../../src/testing/index.js";
import { callCli, PATIENTLY, startCli, type CliProcess } from "../../support/cli.js";
import { processTable } from "../../../src/cli/exec/process-table.js";
import { membersOf, signalTo } from "../../../src/cli/exec/target.js";
import { root } from "../../docs/project.js";
import { at } from "../../support/nodes.js";
import { eventually } from "../../support/settle.js";
import { StampFolder } from "../../support/watched-command.js";

/**
 * Renewal, warning, signal and kill each come about two seconds after the one before: a machine that stands still for a
 * moment leaves none of them out.
 */
const TTL_MS = 8_000;
const TIMES = ["--ttl", "8s", "--grace", "2s"];

/** How long a key outlives its lock, ms: as long as a machine may stand still in the moment of the kill. */
const KEY_OUTLIVES_MS = 2_000;

/** How long quorate may stand still between the start of a guard and its first lines to it, ms. */
const GUARD_TOLD_MS = 2_000;

/** What a command that was to be stopped came to. */
interface Watched {
  readonly process: CliProcess;
  /** Group of the command. */
  readonly groupId: number;
  readonly guardPid: number;
}

describe("A command under quorate exec", () => {
  let fleet: RedisFleet;
  let env: NodeJS.ProcessEnv;
  let stamps: StampFolder;
  let started: Watched[];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(() => fleet.stop());
  beforeEach(() => {
    stamps = new StampFolder();
    started = [];
    // So that a key ends soon after its lock, to be measured by it.
    const config = stamps.file("config.json");
    const options = { nodes: fleet.urls, clockStepMs: KEY_OUTLIVES_MS, quarantine: "off" };
    stamps.write("config.json", JSON.stringify(options));
    env = { QUORATE_CONFIG: config };
  });
  afterEach(async () => {
    await Promise.all(fleet.nodes.map((node) => node.resume().catch(() => {})));
    for (const { process: cli, groupId } of started) {
      cli.child.kill("SIGCONT");
      cli.child.kill("SIGKILL");
      signalTo({ groupId }, "SIGKILL");
    }
    stamps[Symbol.dispose]();
  });

  /** Starts a command that ignores TERM, with a child that does. */
  const start = async (name: string, args: readonly string[] = TIMES): Promise<Watched> => {
    const child = stamps.script("child", stamps.stamper("child-alive"));
    const parent = stamps.script(
      "parent",
      `echo $$ > ${stamps.file("pid")}; ${child} & ${stamps.stamper("parent-alive")}`,
    );
    const cli = startCli(["exec", name, ...args, "--", parent], { env });
    await Promise.all(["child-alive", "parent-alive"].map((file) => stamps.exists(file)));
    const groupId = Number(stamps.text("pid"));
    const watched = { process: cli, groupId, guardPid: guardOf({ process: cli, groupId }) ?? 0 };
    started.push(watched);
    return watched;
  };

  /** The guard that runs now. */
  const guardOf = ({ process: { child }, ...command }: Omit<Watched, "guardPid">) =>
    processTable().find(
      ({ parentPid, groupId, pid, isZombie }) =>
        parentPid === child.pid && groupId === pid && pid !== command.groupId && !isZombie,
    )?.pid;

  const gone = (watched: Watched): Promise<void> =>
    eventually("no process of the command is left", () => membersOf(watched).length === 0);

  /**
   * How long the key on a node that lives had left when the last process of the command was gone, ms.
   *
   * @param strike what ends it
   */
  const end = async (
    { groupId }: Watched,
    name: string,
    strike: () => unknown,
  ): Promise<number> => {
    let keyEndMs = 0;
    const look = async (): Promise<void> => {
      // Read before the question, so that the key lives at least as long.
      const askedMs = performance.now();
      const leftMs = Number(await at(fleet.nodes, 0).command("PTTL", `lock:${name}`));
      if (leftMs > 0) keyEndMs = askedMs + leftMs;
    };
    await look();
    await strike();
    const endMs = performance.now() + 3 * TTL_MS;
    while (membersOf({ groupId }).length > 0) {
      if (performance.now() > endMs) throw new Error("processes of the command are left");
      await look();
    }
    return keyEndMs - performance.now();
  };

  it("is stopped with its children before the lock ends when a quorum freezes", async () => {
    const watched = await start("frozen");
    const leftMs = await end(watched, "frozen", () =>
      Promise.all(fleet.nodes.slice(1).map((node) => node.pause())),
    );
    expect(leftMs, "left of the key").to.be.above(0);
    const { code, stderr } = await watched.process.result;
    expect(code).to.equal(76);
    expect(stderr).to.match(/the lock could not be renewed so far; \S+ m?s remain/);
    expect(stderr).to.match(
      /the lock expires in \S+ m?s: it could not be renewed; sending SIGTERM to the command, SIGKILL follows in 2\.0 s/,
    );
    expect(stderr).to.match(/killing the command/);
  });

  it("is stopped by the guard when quorate is killed, and the name stays locked until then", async () => {
    const watched = await start("killed");
    const leftMs = await end(watched, "killed", () => watched.process.child.kill("SIGKILL"));
    expect(leftMs, "left of the key").to.be.above(0);
  });

  it("is stopped by the guard while quorate is suspended, which then exits 76", async () => {
    const watched = await start("stopped");
    const leftMs = await end(watched, "stopped", () => watched.process.child.kill("SIGSTOP"));
    expect(leftMs, "left of the key").to.be.above(0);
    watched.process.child.kill("SIGCONT");
    expect(await watched.process.result).to.include({ code: 76, signal: null });
  });

  it("has another guard when that is killed", async () => {
    const watched = await start("unguarded");
    expect(watched.guardPid).to.be.above(0);
    process.kill(watched.guardPid, "SIGKILL");
    await eventually("there is another guard", () => {
      const guardPid = guardOf(watched);
      return guardPid !== undefined && guardPid !== watched.guardPid;
    });
    await new Promise((resolve) => setTimeout(resolve, GUARD_TOLD_MS));
    const leftMs = await end(watched, "unguarded", () => watched.process.child.kill("SIGKILL"));
    expect(leftMs, "left of the key").to.be.above(0);
  });

  it("has a guard that takes about the memory that its page states", async function () {
    if (process.platform !== "linux") this.skip();
    const page = readFileSync(join(root, "docs", "reference", "cli.md"), "utf8");
    const [, stated] = /A guard process\*\* [^]*? about (\d+) MB/.exec(page) ?? [];
    const { guardPid } = await start("measured");
    const megabytes = (): number => {
      const status = readFileSync(`/proc/${guardPid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_000;
    };
    // On a busy machine it is still being loaded.
    await eventually("it has been loaded", () => megabytes() > Number(stated) / 2);
    await new Promise((resolve) => setTimeout(resolve, GUARD_TOLD_MS));
    expect(megabytes()).to.be.closeTo(Number(stated), Number(stated) / 2);
  });

  it("is killed at once when somebody else ends the lock by force", async () => {
    const watched = await start("forced");
    expect((await callCli(["release", "forced", "--force", ...PATIENTLY], env)).code).to.equal(0);
    const { code, stderr } = await watched.process.result;
    expect(code).to.equal(76);
    expect(stderr).to.match(/"forced" was lost: .*; killing the command/);
    await gone(watched);
  });

  it("is signalled once when somebody else ends the lock by force, and it may go on", async () => {
    const script =
      `trap 'echo TERM; : > ${stamps.file("told")}' TERM; : > ${stamps.file("runs")}; ` +
      `while [ ! -e ${stamps.file("stop")} ]; do sleep 0.02; done`;
    const args = [...TIMES, "--on-loss", "signal", "--no-guard", "-c", script];
    const cli = startCli(["exec", "taken", ...args], { env });
    await stamps.exists("runs");
    expect((await callCli(["release", "taken", "--force", ...PATIENTLY], env)).code).to.equal(0);
    await stamps.exists("told");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    stamps.write("stop", "");
    const { code, stdout, stderr } = await cli.result;
    expect({ code, stdout }).to.deep.equal({ code: 76, stdout: "TERM\n" });
    expect(stderr).to.match(/"taken" was lost: .*; sending SIGTERM to the command/);
  });

  it("is stopped at --max-hold, though the nodes are well", async () => {
    const watched = await start("long", [...TIMES, "--max-hold", "6s"]);
    const { code, stderr } = await watched.process.result;
    expect(code).to.equal(76);
    expect(stderr)
      .to.match(/SIGKILL follows/)
      .and.match(/killing/);
    await gone(watched);
  });

  it("has time to end by itself after a signal that may be chosen, and lives on if it may", async () => {
    const cases = [
      { args: ["--signal", "int"], stdout: "INT\n" },
      // Without the guard, which signals a second time if quorate is late.
      { args: ["--on-loss", "signal", "--no-guard"], stdout: "TERM\n", livesOn: true },
      { args: ["--on-loss", "ignore"], stdout: "", livesOn: true },
    ];
    const all = cases.map(({ args, livesOn = false }, index) => {
      const onSignal = (name: string): string =>
        `trap 'echo ${name}${livesOn ? "" : "; exit 3"}' ${name}`;
      const loop = `while [ ! -e ${stamps.file("stop")} ]; do sleep 0.02; done`;
      const script = `${onSignal("INT")}; ${onSignal("TERM")}; : > ${stamps.file(`runs-${index}`)}; ${loop}`;
      return startCli(["exec", `gentle-${index}`, ...TIMES, ...args, "-c", script], { env });
    });
    await Promise.all(all.map((_, index) => stamps.exists(`runs-${index}`)));
    await Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));
    const first = await at(all, 0).result;
    expect(first.stderr)
      .to.match(/sending SIGINT/)
      .and.not.match(/killing/);
    await new Promise((resolve) => setTimeout(resolve, TTL_MS));
    expect(all.map(({ child }) => child.exitCode)).to.deep.equal([76, null, null]);
    stamps.write("stop", "");
    const results = await Promise.all(all.map(({ result }) => result));
    expect(results.map(({ code }) => code)).to.deep.equal([76, 76, 76]);
    expect(results.map(({ stdout }) => stdout)).to.deep.equal(cases.map(({ stdout }) => stdout));
  });
});
