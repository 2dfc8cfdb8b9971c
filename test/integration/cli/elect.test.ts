import { expect } from "chai";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { callCli, cliFile, runCli, startCli, type CliProcess } from "../../support/cli.js";
import { expectSchema } from "../../support/cli-schema.js";
import { noLockKeys } from "../../support/nodes.js";
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
    const script = `trap 'exit 0' TERM; : > ${stamps.file(file)}; while [ ! -e ${stamps.file(`end-${file}`)} ]; do sleep 0.02; done; exit 3`;
    return startCli(["elect", name, ...args, "-c", script], { env });
  };

  it("lets one run while the others stand by, and the next one when it is told to end", async () => {
    const first = candidate("lead", "a");
    await stamps.exists("a");
    const second = candidate("lead", "b");
    const watching = startCli(["elect", "lead", "--observe", "--json"], { env });
    await new Promise<void>((resolve) => watching.child.stdout.once("data", () => resolve()));
    expect(stamps.has("b")).to.equal(false);
    first.child.kill("SIGTERM");
    expect((await first.result).code).to.equal(0);
    await stamps.exists("b");
    await new Promise<void>((resolve) => watching.child.stdout.once("data", () => resolve()));
    watching.child.kill("SIGTERM");
    second.child.kill("SIGTERM");
    expect((await second.result).code).to.equal(0);
    const { stdout, signal } = await watching.result;
    expect(signal).to.equal("SIGTERM");
    const leaders = stdout
      .trim()
      .split("\n")
      .map((line) => expectSchema("observe", line) as { fingerprint?: string });
    expect(new Set(leaders.map(({ fingerprint }) => fingerprint)).size).to.be.at.least(2);
    await noLockKeys(fleet.nodes);
  });

  it("runs a command that failed again, and stops when and as it should", async () => {
    const again = candidate("again", "c");
    await stamps.exists("c");
    stamps.write("end-c", "");
    await new Promise<void>((resolve) => {
      again.child.stderr.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("exit code 3; candidate again in 1.0 s")) resolve();
      });
    });
    stamps.remove("end-c");
    stamps.remove("c");
    await stamps.exists("c");
    again.child.kill("SIGTERM");
    expect((await again.result).code).to.equal(0);
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
    await using locks = new LockManager(fleet.urls);
    const lock = await locks.acquire("own", { mode: "shared" });
    const held = async (token: number, extra: NodeJS.ProcessEnv = {}): Promise<number> => {
      const result = await callCli(["held", "own", "--token", String(token), "--json"], {
        ...env,
        ...extra,
      });
      expectSchema("held", result.stdout);
      return result.code;
    };
    expect(await held(lock.fencingToken)).to.equal(0);
    expect(await held(lock.fencingToken - 1)).to.equal(1);
    const [holder] = (await locks.query("own")).holders;
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
    const { code, stderr } = await runCli(
      [
        "exec",
        "in",
        "--key-prefix",
        "x:",
        "--nodes",
        fleet.urls.join(","),
        "-c",
        '"$NODE" "$CLI" held "$QUORATE_NAME" --token "$QUORATE_FENCING_TOKEN" && "$NODE" "$CLI" release in --force > /dev/null && "$NODE" "$CLI" held "$QUORATE_NAME" --token "$QUORATE_FENCING_TOKEN"',
      ],
      { env: { NODE: process.execPath, CLI: cliFile() } },
    );
    expect(stderr).to.match(/no longer held|was lost/);
    expect(code).to.be.oneOf([1, 76]);
  });
});
