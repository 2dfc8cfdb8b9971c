import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { BenchResult } from "../../../src/cli/bench.js";
import type { NameList } from "../../../src/cli/ls.js";
import type { Tick } from "../../../src/cli/watch.js";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { root } from "../../docs/project.js";
import { callCli, cliFile, environment, PATIENTLY, runCli, startCli } from "../../support/cli.js";
import { expectSchema } from "../../support/cli-schema.js";
import { startCluster } from "../../support/cluster.js";
import { at, noLockKeys } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { eventually } from "../../support/settle.js";

/** What of a row does not depend on time. */
function shortOf({ name, state, mode, holderCount, nodeCount }: NameList["names"][number]): string {
  return [name, state, mode ?? "-", holderCount, nodeCount].join(" ");
}

describe("quorate ls, watch and bench", () => {
  let fleet: RedisFleet;
  let locks: LockManager;
  let env: NodeJS.ProcessEnv;

  const list = async (...args: string[]): Promise<NameList> => {
    const { code, stdout, stderr } = await callCli(["ls", ...PATIENTLY, "--json", ...args], env);
    expect({ code, stderr: stderr.replace(/^quorate: there are more.*\n/, "") }).to.deep.equal({
      code: 0,
      stderr: "",
    });
    return expectSchema("ls", stdout) as NameList;
  };

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    locks = new LockManager(fleet.urls, { ...PATIENT, label: "web-1\u001B[31m" });
    await locks.ready({ all: true });
    env = { QUORATE_NODES: fleet.urls.join(",") };
  });
  afterEach(async () => {
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    await noLockKeys(fleet.nodes);
  });
  after(async () => {
    await locks.close();
    await fleet.stop();
  });

  it("lists locks of all kinds, what is on too few nodes, and what is no lock", async () => {
    const held = await Promise.all([
      locks.acquire("a:plain"),
      locks.acquire("b:read", { mode: "shared" }),
      locks.acquire("b:read", { mode: "shared" }),
      locks.semaphore("c:permits", { permits: 3 }).acquire(),
      locks.semaphore("c:permits", { permits: 3 }).acquire(),
      locks.acquire("d:owned", { owner: "order 7" }),
      locks.acquire(["e:one", "e:two"]),
    ]);
    const [first] = fleet.nodes;
    await first?.command("SET", "lock:f:lonely", "A".repeat(22), "PX", 60_000);
    await Promise.all(fleet.nodes.map((node) => node.command("SET", "lock:g:data", "1")));
    await first?.command("SET", "other:h", "1", "PX", 60_000);
    try {
      await eventually("all nodes hold them", async () => {
        const { names } = await list("[a-e]:*");
        return names.length === 6 && names.every(({ nodeCount }) => nodeCount === 3);
      });
      const { names, isCut, isComplete, failures } = await list();
      expect(names.map(shortOf)).to.deep.equal([
        "a:plain held exclusive 1 3",
        "b:read held shared 2 3",
        "c:permits held semaphore 2 3",
        "d:owned held owned 1 3",
        "e:one held exclusive 1 3",
        "e:two held exclusive 1 3",
        "f:lonely free exclusive 1 1",
        "g:data data - 0 3",
      ]);
      expect({ isCut, isComplete, failures }).to.deep.equal({
        ...{ isCut: false, isComplete: true, failures: [] },
      });
      expect(at(names, 0).remainingMs).to.be.within(1_000, 15_000);
      const text = await callCli(["ls", "a:*", ...PATIENTLY], env);
      expect(text.stdout).to.match(
        /^NAME .*\na:plain {2}held {3}exclusive {2}web-1\\x1b\[31m {2}3 of 3 {2}\d+\.\d s +0\n$/,
      );
      const few = await list("--limit", "2");
      expect(few.names).to.have.length(2);
      expect(few.isCut).to.equal(true);
      expect((await callCli(["ls", "none*"], env)).stdout).to.equal("");
      const others = await list("--key-prefix", "other:");
      expect(others.names.map(shortOf)).to.deep.equal(["h free exclusive 1 1"]);
    } finally {
      await Promise.all(held.map((lock) => lock.release()));
      const keys = ["lock:f:lonely", "lock:g:data", "other:h"];
      await Promise.all(fleet.nodes.map((node) => node.command("DEL", ...keys)));
    }
  });

  it("takes a key prefix as it is, whatever it means in a pattern", async () => {
    const prefix = "[x]*?\\:";
    await using odd = new LockManager(fleet.urls, { ...PATIENT, keyPrefix: prefix });
    await odd.ready();
    await using _ = await odd.acquire("name");
    const { names } = await list("--key-prefix", prefix);
    expect(names.map(({ name }) => name)).to.deep.equal(["name"]);
  });

  it("says when names may be missing", async () => {
    await using _ = await locks.acquire("name");
    await at(fleet.nodes, 0).pause();
    // Long enough for those that live, on a machine that stands still for a moment.
    const two = await callCli(["ls", "--node-timeout", "2s"], env);
    expect(two.code).to.equal(0);
    expect(two.stdout).to.match(/\nname {2}held /);
    expect(two.stderr).to.match(/127\.0\.0\.1:\d+ was not scanned: no /);
    await at(fleet.nodes, 1).pause();
    const one = await callCli(["ls", "--node-timeout", "100ms"], env);
    expect(one.code).to.equal(69);
    expect(one.stderr).to.include("may be missing");
  });

  it("names the permission that ls needs", async () => {
    const user = ["ACL", "SETUSER", "locker", "ON", ">secret", "~*", "&*", "+@all", "-scan"];
    await Promise.all(fleet.nodes.map((node) => node.command(...(user as [string]))));
    const { code, stderr } = await callCli(["ls", ...PATIENTLY], {
      ...env,
      ...{ QUORATE_USERNAME: "locker", QUORATE_PASSWORD: "secret" },
    });
    expect(code).to.equal(78);
    expect(stderr).to.include("add +scan to its ACL").and.not.include("secret");
  });

  it("does not say while it watches that there are no locks, if it cannot know", async () => {
    await using _ = await locks.acquire("name");
    const user = ["ACL", "SETUSER", "looker", "ON", ">secret", "~*", "&*", "+@all", "-scan"];
    await Promise.all(fleet.nodes.map((node) => node.command(...(user as [string]))));
    const login = { QUORATE_USERNAME: "looker", QUORATE_PASSWORD: "secret" };
    const first = async (...args: string[]): Promise<string> => {
      const { child, result } = startCli(["watch", ...PATIENTLY, ...args], {
        env: { ...env, ...login },
      });
      child.stdout.once("data", () => child.kill("SIGTERM"));
      return (await result).stdout;
    };
    expect(await first())
      .to.match(
        /add \+scan to its ACL\n.* {2}too few nodes were scanned: held names may be missing\n/,
      )
      .and.not.include("no locks");
    const [line = ""] = (await first("--json")).split("\n");
    const { isComplete, failures } = expectSchema("watch", line) as Tick;
    expect({ isComplete, count: failures.length }).to.deep.equal({ isComplete: false, count: 3 });
  });

  it("lists the names on a Cluster", async () => {
    await using server = await startCluster();
    const dir = mkdtempSync(join(tmpdir(), "quorate-ls-"));
    try {
      const ioredis = pathToFileURL(join(root, "node_modules/ioredis/built/index.js")).href;
      const config = join(dir, "cluster.mjs");
      const node = `new Cluster([{ host: "127.0.0.1", port: ${server.port} }], { lazyConnect: true })`;
      writeFileSync(
        config,
        `import { Cluster } from "${ioredis}"; export default { nodes: [${node}] };`,
      );
      for (let count = 0; count < 20; count++) {
        await server.command("SET", `lock:n${count}`, "A".repeat(22), "PX", 60_000);
      }
      const { code, stdout } = await callCli(["ls", "--config", config, ...PATIENTLY, "--json"]);
      expect(code).to.equal(0);
      expect((expectSchema("ls", stdout) as NameList).names).to.have.length(20);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("ends although clients of a config module stay connected", async () => {
    const dir = mkdtempSync(join(tmpdir(), "quorate-"));
    const ioredis = pathToFileURL(join(root, "node_modules/ioredis/built/index.js")).href;
    const config = join(dir, "clients.mjs");
    writeFileSync(
      config,
      `import { Redis } from ${JSON.stringify(ioredis)};
      export default { nodes: ${JSON.stringify(fleet.urls)}.map((url) => new Redis(url)) };`,
    );
    try {
      const { code, signal, stdout } = await runCli([
        "inspect",
        "job",
        "--config",
        config,
        ...PATIENTLY,
      ]);
      expect({ code, signal }).to.deep.equal({ code: 0, signal: null });
      expect(stdout).to.match(/^job is free/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("watches until ctrl-C, a line a tick", async () => {
    const args = ["watch", "x*", "y*", "job", ...PATIENTLY, "--json", "--interval", "100ms"];
    const { child, result } = startCli(args, { env });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    /** What whole lines tell of names, tick by tick. */
    const ticks = (): string[] => {
      const lines = said.split("\n").slice(0, -1);
      const seen = lines.map((line) => expectSchema("watch", line) as Tick);
      return seen.map(({ names }) => names.map(shortOf).join(", "));
    };
    await eventually("it looks", () => ticks().length > 0);
    const lock = await locks.acquire("x1");
    await eventually("it has seen the lock", () =>
      ticks().some((each) => each.includes("x1 held exclusive 1")),
    );
    await lock.release();
    child.kill("SIGINT");
    const { code, signal, stderr } = await result;
    expect({ code, signal, stderr }).to.deep.equal({ code: 0, signal: null, stderr: "" });
    expect(ticks()[0]).to.equal("job free - 0 0");
    expect(said.endsWith("\n")).to.equal(true);
  });

  it("watches in lines where there is no terminal", async () => {
    const args = ["watch", "job", ...PATIENTLY, "--interval", "100ms"];
    const { child, result } = startCli(args, { env });
    child.stdout.once("data", () => child.kill("SIGTERM"));
    const { code, stdout } = await result;
    expect(code).to.equal(0);
    expect(stdout).to.match(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}job {2}free {2}- {2}- {2}0 of 3 {2}- {2}0\n/,
    );
  });

  it("gives the terminal back as it was", async function () {
    // Not under a shell, of which some end by the signal that the program handled.
    const command = `exec '${process.execPath}' '${cliFile()}' watch job --interval 100ms`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: environment({ ...env, TERM: "xterm" }),
      stdio: ["pipe", "pipe", "ignore"],
    });
    const isThere = await new Promise<boolean>((resolve) => {
      child.once("spawn", () => resolve(true));
      child.once("error", () => resolve(false));
    });
    if (!isThere) this.skip();
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    await eventually("it shows all nodes", () => said.includes("3 of 3 nodes vote"));
    await eventually("it shows the name", () => said.includes("job"));
    child.stdin.write("\u0003");
    expect(await ended).to.equal(0);
    // On the other screen and without a cursor, and back.
    expect(said).to.include("\u001B[?1049h\u001B[?25l");
    expect(said.endsWith("\u001B[?25h\u001B[?1049l")).to.equal(true);
    expect(said).to.include("3 of 3 nodes vote, 2 are needed");
  });

  it("measures locks beside the floor, with a node down, and leaves none", async () => {
    await at(fleet.nodes, 2).pause();
    // No acquire fails because the machine stands still for a moment.
    const args = ["bench", "--duration", "500ms", "--concurrency", "4", "--node-timeout", "2s"];
    const { code, stdout } = await callCli([...args, "--json"], env);
    expect(code).to.equal(0);
    const { cycles, floor, failures, nodeCount } = expectSchema("bench", stdout) as BenchResult;
    expect({ failures, nodeCount, command: floor.command }).to.deep.equal({
      ...{ failures: {}, nodeCount: 3, command: "PING" },
    });
    expect(cycles.count).to.be.above(0);
    expect(floor.count).to.be.above(0);
    for (const { p50, p99, max } of [cycles.cycleMs, cycles.acquireMs, floor.roundMs]) {
      expect(p50).to.be.above(0).and.at.most(p99);
      expect(p99).to.be.at.most(max);
    }
    await at(fleet.nodes, 2).resume();
    await noLockKeys(fleet.nodes);
    const text = await callCli([...args], env);
    expect(text.stdout)
      .to.match(/^3 nodes, 4 at a time\n/)
      .and.include("PING, a quorum's answers");
    await noLockKeys(fleet.nodes);
  });

  it("says of locks that were not measured, as it was ended before, neither figures nor that none could be had", async () => {
    const { child, result } = startCli(["bench", "--duration", "600s", "-v"], { env });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await eventually("it measures the baseline", () => said.includes("the baseline"));
    child.kill("SIGINT");
    const { code, stdout } = await result;
    expect(code).to.equal(0);
    expect(stdout).to.match(/\n +release +- +- +-\nPING/);
  });
});
