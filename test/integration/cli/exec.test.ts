import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { expect } from "chai";
import { membersOf, signalTo } from "../../../src/cli/exec/target.js";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { callCli, PATIENTLY, runCli, startCli, type CliResult } from "../../support/cli.js";
import { expectSchema } from "../../support/cli-schema.js";
import { at, noLockKeys } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { StampFolder } from "../../support/watched-command.js";

describe("quorate exec", () => {
  let fleet: RedisFleet;
  let env: NodeJS.ProcessEnv;
  let stamps: StampFolder;
  let locks: LockManager;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    env = { QUORATE_NODES: fleet.urls.join(",") };
    locks = new LockManager(fleet.urls, PATIENT);
    await locks.ready({ all: true });
  });
  after(async () => {
    await locks.close();
    await fleet.stop();
  });
  beforeEach(() => (stamps = new StampFolder()));
  afterEach(() => stamps[Symbol.dispose]());

  const exec = (...args: readonly string[]): Promise<CliResult> =>
    runCli(["exec", ...PATIENTLY, ...args], { env });

  it("exits as its command does, or says why it did not run", async () => {
    await using held = await locks.acquire("taken");
    await locks.acquire("data").then((lock) => lock.release());
    await Promise.all(fleet.nodes.map((node) => node.command("SET", "lock:data", "1")));
    const plain = stamps.script("plain", "exit 6");
    const text = stamps.file("text");
    stamps.write("text", "no program");
    const cases: readonly (readonly [
      args: readonly string[],
      code: number | NodeJS.Signals,
      says?: RegExp,
    ])[] = [
      [["a", "--", "true"], 0],
      [["b", "--", plain, "x"], 6],
      [["c", "-c", "exit 7"], 7],
      [["d", "-c", "kill -KILL $$"], "SIGKILL"],
      [["e", "-c", "kill -TERM $$"], "SIGTERM"],
      [["taken", "-n", "--", "true"], 75, /"taken" is held.* wait for it with --wait$/m],
      [["taken", "-w", "100ms", "-E", "9", "--", "true"], 9, /"taken".* wait longer with --wait$/m],
      [["taken", "-w", "100ms", "-E", "0", "--", "false"], 0, /"taken"/],
      [["taken", "-w", "100ms", "-E", "0", "-q", "--", "false"], 0],
      [["taken", "-w", "100ms", "-E", "9", "-q", "--", "true"], 9, /"taken"/],
      [["f", "--", "quorate-no-such-program"], 127, /command not found/],
      [["g", "--", text], 126, /cannot execute/],
      [["data", "--", "true"], 78, /holds/],
    ];
    const results = await Promise.all(cases.map(([args]) => exec(...args)));
    results.forEach(({ code, signal, stderr }, index) => {
      const [args, expected, says] = at(cases, index);
      expect(signal ?? code, args.join(" ")).to.equal(expected);
      if (says === undefined) expect(stderr, args.join(" ")).to.equal("");
      else expect(stderr, args.join(" ")).to.match(says);
    });
    held.assertHeld();
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:data")));
  });

  it("exits 69 without a quorum", async () => {
    const nodes = [at(fleet.urls, 0), "redis://127.0.0.1:1", "redis://127.0.0.1:2"].join(",");
    const { code } = await runCli(["exec", "x", "-w", "200ms", "--nodes", nodes, "--", "true"]);
    expect(code).to.equal(69);
  });

  it("exits 64 for what cannot be, and connects nothing", async () => {
    const cases: readonly (readonly [args: string, says: RegExp])[] = [
      ["x", /no command: it follows --/],
      ["x --", /no command after --/],
      ["x -c true -- true", /--command and -- COMMAND: give one of them/],
      ["x -E 300 -- true", /--conflict-exit-code must be an integer from 0 to 255, got "300"/],
      ["x -n -w 5 -- true", /--wait cannot be combined with --no-wait/],
      ["x --permits 0 -- true", /--permits must be an integer from 1 to 10000, got "0"/],
      ["x --permits 2 -s -- true", /--shared cannot be combined with --permits/],
      ["x y --shared -- true", /--shared is for one NAME, got 2/],
      ["x --permits 2 --min-hold 1s -- true", /--min-hold must be 0 for/],
      [
        "x --grace 11s -- true",
        /--grace must be at most a third of --ttl \(30000 ms\), got 11000 ms/,
      ],
      ["x --max-hold 10s -- true", /--max-hold must be more than --grace .* \(10300 ms\)/],
      ["x --ttl 500ms -- true", /--ttl must be at least \d+ ms with a --node-timeout of/],
      ["x --ttl 30s --lock-delay 1m --config C -- true", /--lock-delay with its drift/],
      ["x --signal NOPE -- true", /--signal must be one of TERM, INT, /],
      ["x --status-fd 77 -- true", /--status-fd 77 is not open/],
      ["x --owner quorate:x -- true", /--owner must not begin with/],
      ["x --tty sometimes -- true", /--tty must be auto, always or never/],
    ];
    stamps.write("config.json", JSON.stringify({ maxTtlMs: 60_000 }));
    for (const [args, says] of cases) {
      const all = args.split(" ").map((arg) => (arg === "C" ? stamps.file("config.json") : arg));
      const { code, stderr } = await callCli(["exec", "--nodes", "redis://127.0.0.1:1", ...all]);
      expect(stderr, args).to.match(says);
      expect(code, args).to.equal(64);
    }
  });

  it("exits 64 where it does not lead its group, and has to stay in the terminal's", async () => {
    // As a process of its own: the one that runs the tests may lead a group.
    const args = ["exec", "x", "--tty", "always", "--nodes", "redis://127.0.0.1:1", "--", "true"];
    const { code, stderr } = await runCli(args);
    expect(stderr).to.match(/--tty always: quorate must lead its process group/);
    expect(code).to.equal(64);
  });

  it("tells its command what it holds, and nothing that is secret", async () => {
    const script = `env; echo "$QUORATE_NAMES"; : > ${stamps.file("said")}; while [ ! -e ${stamps.file("seen")} ]; do sleep 0.02; done`;
    const own = { QUORATE_PERMIT: "7", SECRET: "kept" };
    const startedMs = Date.now();
    const { result } = startCli(["exec", "told", "--label", "a b", "-c", script], {
      env: { ...env, ...own },
    });
    await stamps.exists("said");
    const stored = await Promise.all(fleet.nodes.map((node) => node.command("GET", "lock:told")));
    stamps.write("seen", "");
    const { stdout } = await result;
    const told = Object.fromEntries(stdout.split("\n").map((line) => line.split(/=(.*)/s)));
    expect(told).to.include({
      QUORATE_NAME: "told",
      QUORATE_NAMES: '["told"]',
      QUORATE_MODE: "exclusive",
      QUORATE_LABEL: "a b",
      SECRET: "kept",
    });
    expect(told).to.not.have.property("QUORATE_PERMIT");
    expect(Number(told["QUORATE_FENCING_TOKEN"])).to.be.above(0);
    expect(told["QUORATE_FINGERPRINT"]).to.match(/^[0-9a-f]{8}$/);
    expect(Number(told["QUORATE_VALID_MS"])).to.be.within(20_000, 30_000);
    expect(Number(told["QUORATE_VALID_UNTIL"])).to.be.within(
      startedMs + 15_000,
      Date.now() + 30_000,
    );
    for (const value of stored) {
      const [ownerId] = String(value).match(/[\w-]{21}[AQgw]/) ?? [];
      expect(ownerId).to.be.a("string");
      expect(stdout).to.not.include(ownerId);
    }
  });

  it("locks several names as one, side by side with -s, and as many as there are permits", async () => {
    const both = `: > ${stamps.file("$0")}; while [ ! -e ${stamps.file("go")} ]; do sleep 0.02; done`;
    const script = stamps.script("both", both.replaceAll("$0", "$1"));
    const run = (file: string, ...args: readonly string[]) => exec(...args, "--", script, file);
    const readers = ["r1", "r2"].map((file) => run(file, "read", "-s"));
    const workers = ["p1", "p2"].map((file) => run(file, "work", "--permits", "2"));
    const set = run("s", "one", "two");
    await Promise.all(["r1", "r2", "p1", "p2", "s"].map((file) => stamps.exists(file)));
    const refused = await Promise.all([
      exec("read", "-n", "--", "true"),
      exec("work", "--permits", "2", "-n", "--", "true"),
      exec("two", "-n", "--", "true"),
      exec("three", "one", "-w", "50ms", "--", "true"),
    ]);
    expect(refused.map(({ code }) => code)).to.deep.equal([75, 75, 75, 75]);
    stamps.write("go", "");
    const all = await Promise.all([...readers, ...workers, set]);
    expect(all.map(({ code }) => code)).to.deep.equal([0, 0, 0, 0, 0]);
    await noLockKeys(fleet.nodes);
  });

  it("lets one of many that try at once run, and tells the others so", async () => {
    const script = `: > ${stamps.file("runs")}; while [ ! -e ${stamps.file("go")} ]; do sleep 0.02; done`;
    const all = Array.from({ length: 20 }, () =>
      startCli(["exec", ...PATIENTLY, "-n", "once", "-c", script], { env }),
    );
    let refusedCount = 0;
    for (const { result } of all) {
      void result.then(({ code }) => {
        if (code === 75 && ++refusedCount === 19) stamps.write("go", "");
      });
    }
    const codes = (await Promise.all(all.map(({ result }) => result))).map(({ code }) => code);
    expect(codes.toSorted((a, b) => Number(a) - Number(b))).to.deep.equal([
      0,
      ...Array.from({ length: 19 }, () => 75),
    ]);
    // Twenty processes start at once.
  }).timeout(120_000);

  it("leaves nothing of its command behind, unless it is told to", async () => {
    const sleeper = stamps.script("sleeper", stamps.stamper("alive"));
    const script = `${sleeper} & echo $$ > ${stamps.file("group")}; while [ ! -e ${stamps.file("alive")} ]; do sleep 0.02; done; exit 4`;
    const members = (): readonly number[] => membersOf({ groupId: Number(stamps.text("group")) });
    expect((await exec("bg", "-c", script)).code).to.equal(4);
    expect(members()).to.deep.equal([]);
    stamps.remove("alive");
    const left = await runCli(
      ["exec", "bg", "--leave-group", "-c", script.replace("&", ">&- 2>&- &")],
      { env },
    );
    expect(left.code).to.equal(4);
    const still = members();
    // The group and not each of them: those that sleep between two stamps end at any moment.
    signalTo({ groupId: Number(stamps.text("group")) }, "SIGKILL");
    expect(still).to.have.length.above(0);
  });

  it("passes signals on, and ends by them while it waits", async () => {
    const script = `trap 'echo usr1' USR1; trap 'echo term; exit 5' TERM; : > ${stamps.file("runs")}; while :; do sleep 0.02; done`;
    const running = startCli(["exec", "sig", "-c", script], { env });
    await stamps.exists("runs");
    const waiting = startCli(["exec", "sig", "-v", "--", "true"], { env });
    await new Promise<void>((resolve) => waiting.child.stderr.once("data", () => resolve()));
    waiting.child.kill("SIGTERM");
    expect(await waiting.result).to.include({ code: null, signal: "SIGTERM" });
    running.child.kill("SIGUSR1");
    await new Promise<void>((resolve) => running.child.stdout.once("data", () => resolve()));
    running.child.kill("SIGTERM");
    expect(await running.result).to.include({ code: 5, stdout: "usr1\nterm\n" });
    await noLockKeys(fleet.nodes);
  });

  for (const command of ["exec", "elect"]) {
    it(`ends by a signal while no node has answered ${command} yet`, async () => {
      const silent = createServer((socket) => socket.on("error", () => {}));
      silent.listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      const limits = ["--node-timeout", "5m", "--ttl", "1h"];
      const nodes = ["--nodes", `redis://127.0.0.1:${port}`];
      const cli = startCli([command, "far", ...nodes, ...limits, "--", "true"]);
      await once(silent, "connection");
      cli.child.kill("SIGTERM");
      expect(await cli.result).to.include({ code: null, signal: "SIGTERM" });
      silent.close();
    });
  }

  it("lets its command inherit /dev/null, if it can be written to", async () => {
    const fds = [openSync("/dev/null", "w"), openSync("/dev/null", "r+")];
    const args = ["exec", "null", "--status-fd", "4", "-c", "echo gone >&3"];
    const { code, stderr } = await runCli(args, { env, fds });
    for (const fd of fds) closeSync(fd);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
  });

  it("waits longer than a timer of Node.js can", async () => {
    const { code, stderr } = await runCli(["exec", "far", "--wait", "30d", "--", "true"], { env });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
  });

  it("tells what happens on --status-fd, which the command does not inherit", async () => {
    const file = stamps.file("feed");
    const fds = [openSync(file, "w"), openSync(stamps.file("own"), "w")];
    const script = "echo own >&4; (echo leak >&3) 2>&-; exit 0";
    const { code } = await runCli(["exec", "feed", "--status-fd", "3", "-c", script], { env, fds });
    for (const fd of fds) closeSync(fd);
    expect(code).to.equal(0);
    const lines = stamps.text("feed").trim().split("\n");
    const events = lines.map((line) => (expectSchema("status", line) as { event: string }).event);
    expect(events).to.deep.equal(["waiting", "acquired", "released"]);
    expect(stamps.text("own")).to.equal("own\n");
  });
});
