import { spawn, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { RedisFleet } from "../../../src/testing/index.js";
import { cliFile, environment, runCli, startCli } from "../../support/cli.js";
import { noLockKeys } from "../../support/nodes.js";
import { StampFolder } from "../../support/watched-command.js";

const has = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;

const HAS_SCRIPT = has("script", "-qec", "true", "/dev/null");
const HAS_NAMESPACES = has("unshare", "--pid", "--fork", "--mount-proc", "true");

describe("quorate exec in a terminal and as PID 1", () => {
  let fleet: RedisFleet;
  let env: NodeJS.ProcessEnv;
  let stamps: StampFolder;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    env = { QUORATE_NODES: fleet.urls.join(","), CLI: cliFile(), NODE: process.execPath };
  });
  after(() => fleet.stop());
  beforeEach(() => (stamps = new StampFolder()));
  afterEach(() => stamps[Symbol.dispose]());

  /** A shell with job control in a terminal of its own, into which keys can be typed. */
  const terminal = () => {
    // The prompt is set behind the shell that `script` starts: a bash that is not interactive removes it.
    const child = spawn("script", ["-qec", "PS1='$ ' bash --norc -i", "/dev/null"], {
      env: environment(env),
      stdio: ["pipe", "pipe", "ignore"],
    });
    let seen = "";
    child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    return {
      type: (keys: string) => void child.stdin.write(keys),
      /** What is on the screen, once it has this. */
      until: async (wanted: RegExp): Promise<string> => {
        const endMs = performance.now() + 40_000;
        while (!wanted.test(seen)) {
          if (performance.now() > endMs) throw new Error(`no ${wanted} in ${JSON.stringify(seen)}`);
          await sleep(20);
        }
        return seen;
      },
      end: async (): Promise<void> => {
        const ended = new Promise((resolve) => child.once("close", resolve));
        child.stdin.write("exit\n");
        child.stdin.end();
        setTimeout(() => child.kill("SIGKILL"), 3_000).unref();
        await ended;
      },
    };
  };

  it("leaves the terminal to its command: /dev/tty, ctrl-C, ctrl-Z and fg", async function () {
    if (!HAS_SCRIPT) return this.skip();
    const job = stamps.script(
      "job",
      `trap 'echo got-int; exit 9' INT; echo on-tty > /dev/tty; while :; do : > ${stamps.file("runs")}; sleep 0.05; done`,
    );
    const screen = terminal();
    try {
      screen.type(`"$NODE" "$CLI" exec tty -- ${job}\n`);
      await screen.until(/[\r\n]on-tty/);
      screen.type("\u001A");
      await screen.until(/Stopped/);
      stamps.remove("runs");
      screen.type("echo while-$((1 + 1)); fg\n");
      await screen.until(/while-2[^]*exec tty/);
      // It goes on when it has the terminal again.
      await stamps.exists("runs");
      screen.type("\u0003");
      await screen.until(/got-int/);
      screen.type("echo code-$?\n");
      await screen.until(/code-9/);
    } finally {
      await screen.end();
    }
    await noLockKeys(fleet.nodes);
  });

  it("spares the others of a pipeline", async function () {
    if (!HAS_SCRIPT) return this.skip();
    const screen = terminal();
    const late = `sh -c 'cat; sleep 1; echo pipeline-$((1 + 2))'`;
    try {
      screen.type(`"$NODE" "$CLI" exec pipe -c 'sleep 60 & echo done-$((2 + 2))' | ${late}\n`);
      await screen.until(/done-4[^]*pipeline-3/);
    } finally {
      await screen.end();
    }
    await noLockKeys(fleet.nodes);
  });

  it("stops a shell and its jobs when the lock is lost", async function () {
    if (!HAS_SCRIPT) return this.skip();
    const screen = terminal();
    try {
      screen.type(`"$NODE" "$CLI" exec shell --ttl 6s --grace 1s -- bash --norc -i\n`);
      await screen.until(/exec shell[^]*\n[^\n]*[$#] $/);
      screen.type(`${stamps.script("alive", stamps.stamper("stamp"))}\n`);
      await stamps.exists("stamp");
      await Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));
      await screen.until(/killing the command/);
      await Promise.all(fleet.nodes.slice(1).map((node) => node.resume()));
      screen.type("echo code-$?\n");
      await screen.until(/code-76/);
      const lastMs = stamps.lastMs("stamp");
      await sleep(300);
      expect(stamps.lastMs("stamp")).to.equal(lastMs);
    } finally {
      await Promise.all(fleet.nodes.slice(1).map((node) => node.resume().catch(() => {})));
      await screen.end();
    }
  });

  it("stops the jobs that a shell leaves running when it exits", async function () {
    if (!HAS_SCRIPT) return this.skip();
    const job = stamps.script("job", stamps.stamper("job-stamp"));
    const other = stamps.script("other", stamps.stamper("other-stamp"));
    const screen = terminal();
    try {
      screen.type(`${other} &\n`);
      screen.type(`"$NODE" "$CLI" exec shell -- bash --norc -i; echo shell-$((1 + 1))\n`);
      await stamps.exists("other-stamp");
      await screen.until(/exec shell[^]*\n[^\n]*[$#] $/);
      screen.type(`${job} &\n`);
      await stamps.exists("job-stamp");
      screen.type("exit\n");
      await screen.until(/shell-2/);
      const lastMs = stamps.lastMs("job-stamp");
      const otherMs = stamps.lastMs("other-stamp");
      await sleep(300);
      expect(stamps.lastMs("job-stamp"), "a job of the ended shell").to.equal(lastMs);
      expect(stamps.lastMs("other-stamp"), "a job of the terminal's own shell").to.be.above(
        otherMs,
      );
      screen.type("kill -9 %1\n");
    } finally {
      await screen.end();
    }
    await noLockKeys(fleet.nodes);
  });

  it("works as PID 1, passes signals and exit codes on, and nothing outlives it", async function () {
    if (!HAS_NAMESPACES) return this.skip();
    const before = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
    const script = `trap 'exit 5' TERM; (${stamps.stamper("orphan")}) & while :; do : > ${stamps.file("runs")}; sleep 0.02; done`;
    const cli = startCli(["exec", "pid1", "-c", script], { env, before });
    await Promise.all(["runs", "orphan"].map((file) => stamps.exists(file)));
    const children = spawnSync("pgrep", ["-P", String(cli.child.pid)], { encoding: "utf8" });
    process.kill(Number(children.stdout.trim()), "SIGTERM");
    expect(await cli.result).to.include({ code: 5 });
    const lastMs = stamps.lastMs("orphan");
    await sleep(200);
    expect(stamps.lastMs("orphan")).to.equal(lastMs);
    const killed = await runCli(["exec", "pid1", "-c", "kill -TERM $$"], { env, before });
    expect(killed.code).to.equal(143);
    await noLockKeys(fleet.nodes);
  });
});
