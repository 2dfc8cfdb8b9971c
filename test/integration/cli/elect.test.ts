import { expect } from "chai";
import type { ExitCode } from "../../../src/cli/exit-codes.js";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import {
  callCli,
  cliFile,
  PATIENTLY,
  runCli,
  startCli,
  type CliProcess,
} from "../../support/cli.js";
import { expectSchema } from "../../support/cli-schema.js";
import { noLockKeys } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { eventually } from "../../support/settle.js";
import { StampFolder } from "../../support/watched-command.js";

describe("quorate elect and held", () => {
  let fleet: RedisFleet;
  let env: NodeJS.ProcessEnv;
  let stamps: StampFolder;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    env = { QUORATE_NODES: fleet.urls.join(",") };
  });
  after(() => fleet.stop());
  beforeEach(() => (stamps = new StampFolder()));
  afterEach(() => stamps[Symbol.dispose]());

  const candidate = (name: string, file: string, ...args: readonly string[]): CliProcess => {
    const script = `trap 'exit 0' TERM; : > ${stamps.file(file)}; while :; do sleep 0.02; done`;
    return startCli(["elect", name, ...args, "-c", script], { env });
  };

  it("lets one run while the others stand by, and the next one when it is told to end", async () => {
    const first = candidate("lead", "a");
    await stamps.exists("a");
    const second = candidate("lead", "b");
    const watching = startCli(["elect", "lead", "--observe", "--json"], { env });
    let seen = "";
    watching.child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    /** By whole lines, since it may have looked while nobody led, or while too few nodes answered. */
    const leaders = (): ReadonlySet<string> => {
      const lines = seen.split("\n").slice(0, -1);
      const told = lines.map((line) => expectSchema("observe", line) as { fingerprint?: string });
      return new Set(told.flatMap(({ fingerprint }) => fingerprint ?? []));
    };
    await eventually("the first leader is seen", () => leaders().size === 1);
    expect(stamps.has("b")).to.equal(false);
    first.child.kill("SIGTERM");
    expect((await first.result).code).to.equal(0);
    await stamps.exists("b");
    await eventually("the second leader is seen", () => leaders().size === 2);
    watching.child.kill("SIGTERM");
    second.child.kill("SIGTERM");
    expect((await second.result).code).to.equal(0);
    expect((await watching.result).signal).to.equal("SIGTERM");
    expect(leaders().size).to.equal(2);
    await noLockKeys(fleet.nodes);
  });

  it("runs a command that failed again, and stops when and as it should", async () => {
    const [failed, running] = ["failed", "running"].map((name) => stamps.file(name));
    const failsOnce = `[ -e ${failed} ] || { : > ${failed}; exit 3; }`;
    const script = `trap 'exit 0' TERM; ${failsOnce}; : > ${running}; while :; do sleep 0.02; done`;
    const again = startCli(["elect", "again", "-c", script], { env });
    await stamps.exists("running");
    again.child.kill("SIGTERM");
    const { code, stderr } = await again.result;
    expect(stderr).to.include("exit code 3; candidate again in 1.0 s");
    expect(code).to.equal(0);
    const others = await Promise.all([
      runCli(["elect", "stop", "--on-exit", "stop", "-c", "exit 3"], { env }),
      runCli(["elect", "done", "--", "true"], { env }),
    ]);
    expect(others.map(({ code }) => code)).to.deep.equal([3, 0]);
  });

  it("ends by a signal while it stands by", async () => {
    const first = candidate("by", "d");
    await stamps.exists("d");
    const second = candidate("by", "e", "-v");
    await new Promise<void>((resolve) => second.child.stderr.once("data", () => resolve()));
    second.child.kill("SIGINT");
    expect(await second.result).to.include({ code: null, signal: "SIGINT" });
    first.child.kill("SIGTERM");
    await first.result;
  });

  it("tell a script whether its own grant still holds", async () => {
    await using locks = new LockManager(fleet.urls, PATIENT);
    const lock = await locks.acquire("own", { mode: "shared" });
    const held = async (token: number, extra: NodeJS.ProcessEnv = {}): Promise<ExitCode> => {
      const args = ["held", "own", ...PATIENTLY, "--token", String(token), "--json"];
      const result = await callCli(args, { ...env, ...extra });
      expectSchema("held", result.stdout);
      return result.code;
    };
    expect(await held(lock.fencingToken)).to.equal(0);
    expect(await held(lock.fencingToken - 1)).to.equal(1);
    const [holder] = (await locks.inspect("own")).holders;
    const other = await locks.acquire("own", { mode: "shared" });
    const own = {
      QUORATE_FENCING_TOKEN: String(lock.fencingToken),
      QUORATE_FINGERPRINT: holder?.fingerprint,
    };
    expect(await held(lock.fencingToken, own)).to.equal(0);
    await lock.release();
    expect(await held(lock.fencingToken, own)).to.equal(1);
    await other.release();
    expect(await held(other.fencingToken)).to.equal(1);
    expect((await callCli(["held", "own"], env)).code).to.equal(64);
    const none = { QUORATE_NODES: "redis://127.0.0.1:1" };
    expect(
      (await callCli(["held", "own", "--token", "1", "--node-timeout", "50ms"], none)).code,
    ).to.equal(69);
  });

  it("work within a command, by its environment alone", async () => {
    const cli = `"$NODE" "$CLI"`;
    const held = `${cli} held "$QUORATE_NAME" ${PATIENTLY.join(" ")} --token "$QUORATE_FENCING_TOKEN"`;
    const release = `${cli} release in ${PATIENTLY.join(" ")} --force > /dev/null`;
    const script = `${held} && ${release} && ${held}`;
    const { code, stderr } = await runCli(
      ["exec", "in", "--key-prefix", "x:", "--nodes", fleet.urls.join(","), "-c", script],
      { env: { NODE: process.execPath, CLI: cliFile() } },
    );
    expect(stderr).to.match(/no longer held|was lost/);
    expect(code).to.be.oneOf([1, 76]);
  });

  for (const [command, ...args] of [["exec"], ["elect", "--on-exit", "stop"]] as const) {
    it(`tell a command of ${command} that it holds, though a name with the same counter was locked`, async () => {
      // Both have counter 10726 under "lock:".
      const [name, other] = ["scheduler", "job:125014"];
      const cli = `"$NODE" "$CLI"`;
      const held = `${cli} held "$QUORATE_NAME" ${PATIENTLY.join(" ")} --token "$QUORATE_FENCING_TOKEN"`;
      const byToken = `env -u QUORATE_FINGERPRINT ${held} 2> /dev/null`;
      const lockOther = `${cli} exec ${other} -- true`;
      const script = `${byToken} && ${lockOther} && ${held} && ! ${byToken}`;
      const { code, stderr } = await runCli([command, name, "-q", ...args, "-c", script], {
        env: { ...env, NODE: process.execPath, CLI: cliFile() },
      });
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    });
  }
});
