import { fork, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { closeOnSignals, type CloseOnSignalsOptions, type CloseOptions } from "../../src/index.js";
import { SAME_REQUEST_MS } from "../../src/manager/close-on-signals.js";
import { RedisFleet } from "../../src/testing/index.js";
import { freeByHand, lockKeys, noLockKeys } from "../support/nodes.js";
import { eventually } from "../support/settle.js";
import { warningsOf } from "../support/warnings-of.js";

const CHILD = fileURLToPath(new URL("../support/signalled.js", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

describe("closeOnSignals", function () {
  let fleet: RedisFleet;
  const children: ChildProcess[] = [];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });
  after(() => fleet.stop());

  /** A process that holds its locks, so many. */
  async function start(mode: string, count: number) {
    const child = fork(CHILD, {
      env: { ...process.env, URLS: JSON.stringify(fleet.urls), MODE: mode },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    children.push(child);
    let [output, errors] = ["", ""];
    child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const lines = (): string[] => output.split("\n").filter(Boolean);
    await eventually(`${count} are held`, () => lines().length === count);
    const ended = once(child, "close").then(([code, signal]): Ended => {
      return { code, signal, lines: lines().slice(count), errors };
    });
    const tell = (signal: NodeJS.Signals): void => {
      child.kill(signal);
      child.send("begun to end");
    };
    return { child, ended, tell, lines };
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`on ${signal} runs before, lets requests finish, releases, and ends by ${signal}`, async () => {
      const { child, ended, lines } = await start("several", 2);
      child.kill(signal);
      // The requests finish behind that, however long it took.
      await eventually("it has run before", () => lines().includes("has what it needs"));
      child.send("begun to end");
      expect(await ended).to.deep.equal({
        code: null,
        signal,
        lines: [`before ${signal}`, "has what it needs", "finished one", "finished other"],
        errors: "",
      });
      await noLockKeys(fleet.nodes);
    });
  }

  it("called twice, the process ends when both have closed", async () => {
    const { ended, tell } = await start("twice called", 2);
    tell("SIGTERM");
    const { signal, lines } = await ended;
    expect(lines).to.deep.equal(["finished other", "finished one"]);
    expect(signal).to.equal("SIGTERM");
    await noLockKeys(fleet.nodes);
  });

  for (const mode of ["too long", "before hangs"]) {
    it(`releases what is held when the time is over: ${mode}`, async () => {
      const { ended, tell } = await start(mode, 1);
      tell("SIGTERM");
      const { signal, lines } = await ended;
      expect(lines).to.deep.equal(["lost one closed"]);
      expect(signal).to.equal("SIGTERM");
      await noLockKeys(fleet.nodes);
    });
  }

  it("closes also if `before` throws, which becomes a warning", async () => {
    const { ended, tell } = await start("before throws", 1);
    tell("SIGTERM");
    const { signal, lines, errors } = await ended;
    expect(lines).to.deep.equal(["finished one"]);
    expect(errors).to.match(/of the application/);
    expect(signal).to.equal("SIGTERM");
  });

  it("ends at once at a second signal", async () => {
    const { child, ended, lines } = await start("several", 2);
    // Not told to finish.
    child.kill("SIGTERM");
    await eventually("it has begun", () => lines().includes("has what it needs"));
    await sleep(SAME_REQUEST_MS);
    child.kill("SIGINT");
    expect((await ended).signal).to.equal("SIGINT");
    expect(await lockKeys(fleet.nodes)).to.include.members(["lock:one", "lock:other"]);
    await Promise.all(["one", "other"].map((name) => freeByHand(fleet.nodes, name)));
  });

  it("takes a signal that is passed on at once for the same", async () => {
    const { child, ended, lines } = await start("several", 2);
    child.kill("SIGTERM");
    child.kill("SIGINT");
    await eventually("it has begun", () => lines().includes("has what it needs"));
    child.send("begun to end");
    const { signal, lines: said } = await ended;
    expect(said).to.include.members(["finished one", "finished other"]);
    expect(["SIGTERM", "SIGINT"]).to.include(signal);
    await noLockKeys(fleet.nodes);
  });

  it("takes a signal that is named twice for one", async () => {
    const { ended, tell } = await start("signal named twice", 1);
    tell("SIGTERM");
    expect(await ended).to.deep.include({ signal: "SIGTERM", lines: ["finished one"] });
    await noLockKeys(fleet.nodes);
  });

  it("leaves ending the process to others that listen", async () => {
    const { ended, tell } = await start("another listens", 1);
    tell("SIGTERM");
    const { code, lines } = await ended;
    expect(lines).to.deep.equal(["finished one", "ends by itself"]);
    expect(code).to.equal(7);
    await noLockKeys(fleet.nodes);
  });

  it("does nothing once it is undone", async () => {
    const { child, ended } = await start("undone", 1);
    child.kill("SIGTERM");
    expect(await ended).to.deep.include({ signal: "SIGTERM", lines: [] });
    await freeByHand(fleet.nodes, "one");
  });

  it("may be called any number of times without a warning of Node.js", async () => {
    const count = process.listenerCount("SIGUSR2");
    const undos: (() => void)[] = [];
    const call = (): void => {
      const undo = closeOnSignals({ close: async () => {} }, { signals: ["SIGUSR2"] });
      undos.push(undo);
    };
    const warnings = await warningsOf(() => {
      for (let at = 0; at < 11; at++) call();
    });
    for (const undo of undos) undo();
    expect(warnings).to.deep.equal([]);
    expect(process.listenerCount("SIGUSR2")).to.equal(count);
  });

  it("ends the first process of a container, which a signal alone would not", async function () {
    const unshare = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    if (spawnSync("unshare", [...unshare, "true"]).status !== 0) this.skip();
    const program = `
      import { closeOnSignals } from ${JSON.stringify(new URL("../../src/index.js", import.meta.url).href)};
      closeOnSignals({ close: async () => console.log("closed as", process.pid) });
      setInterval(() => {}, 60_000);
      setTimeout(() => process.emit("SIGTERM", "SIGTERM"), 10);`;
    const args = [...unshare, process.execPath, "--input-type=module", "--eval", program];
    const { status, stdout } = spawnSync("unshare", args, { timeout: 20_000, encoding: "utf8" });
    expect(stdout).to.equal("closed as 1\n");
    expect(status).to.equal(128 + 15);
  });

  describe("the time that is left for closing", () => {
    const DRAIN_MS = 5_000;

    for (const { title, before, leftMs } of [
      { title: "all of it without `before`", before: undefined, leftMs: DRAIN_MS },
      { title: "what `before` leaves", before: () => sleep(300), leftMs: DRAIN_MS - 300 },
      { title: "all of it where `before` throws", before: () => fail(), leftMs: DRAIN_MS },
      {
        title: "all of it where it throws what has no text",
        before: () => fail(Object.create(null)),
        leftMs: DRAIN_MS,
      },
    ]) {
      it(`is ${title}`, async () => {
        const startedMs = performance.now();
        const drains = await drainsOf({ drainMs: DRAIN_MS, before });
        const tookMs = performance.now() - startedMs;
        for (const drainMs of drains) {
          expect(drainMs).to.be.at.most(leftMs + 1);
          expect(drainMs).to.be.at.least(DRAIN_MS - tookMs);
        }
        expect(drains).to.have.length(2);
      });
    }

    it("is none where `before` takes too long", async () => {
      expect(await drainsOf({ drainMs: 50, before: () => sleep(300) })).to.deep.equal([0, 0]);
    });

    const fail = (error: unknown = new Error("of the application")): never => {
      throw error;
    };

    /** What two managers are told to drain for at a signal, in a process that others end. */
    async function drainsOf(options: CloseOnSignalsOptions): Promise<number[]> {
      const drains: number[] = [];
      // With it, ending the process is left to others.
      const listener = (): void => {};
      process.on("SIGUSR2", listener);
      // Packages listen for it, too.
      const othersCount = process.listenerCount("SIGUSR2");
      const manager = {
        close: async ({ drainMs = Number.NaN }: CloseOptions = {}) => void drains.push(drainMs),
      };
      const undo = closeOnSignals([manager, manager], { ...options, signals: ["SIGUSR2"] });
      try {
        process.emit("SIGUSR2", "SIGUSR2");
        await eventually("both are closed", () => drains.length === 2);
        await eventually("it is over", () => process.listenerCount("SIGUSR2") === othersCount);
        return drains;
      } finally {
        undo();
        process.off("SIGUSR2", listener);
      }
    }
  });

  describe("with bad arguments", () => {
    const locks = { close: async () => {} };
    for (const [args, message] of [
      [[5], /`locks` must be a LockManager or an array of them, got 5/],
      [[[locks, null]], /`locks` must be .*got null/],
      [[locks, { signals: [] }], /`signals` must be an array of names of signals, got/],
      [[locks, { signals: "SIGTERM" }], /`signals` must be an array/],
      [
        [locks, { signals: ["SIGTERM", "TERM"] }],
        /`signals\[1\]` must be a signal .*as "SIGTERM", got "TERM"/,
      ],
      [[locks, { signals: ["SIGKILL"] }], /`signals\[0\]` must be a signal .*got "SIGKILL"/],
      [[locks, { drainMs: -1 }], /`drainMs` must be from 0 to 2147483647 ms, got -1/],
      [[locks, { drainMS: 1 }], /unknown option `drainMS`: did you mean `drainMs`\?/],
      [[locks, { before: 5 }], /`before` must be a function, got 5/],
    ] as const) {
      it(`throws ${message.source}, and listens for nothing`, () => {
        const before = process.eventNames();
        const call = closeOnSignals as (...given: readonly unknown[]) => unknown;
        expect(() => call(...args)).to.throw(message);
        expect(process.eventNames()).to.deep.equal(before);
      });
    }
  });
});
