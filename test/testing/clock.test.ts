import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { RedisFleet, RedisProcess } from "../../src/testing/index.js";
import { clockShim } from "../../src/testing/clock-shim.js";
import { findRedisBinary } from "../../src/testing/redis-binary.js";
import { ServerClock } from "../../src/testing/server-clock.js";
import { describeWithClocks } from "../support/with-clocks.js";
import { oneShotClient, rejection, until } from "./raw-client.js";

const CLOCK_SHIM = new URL("../../src/testing/clock-shim.js", import.meta.url).href;

/** What the server's clock showed, and the true time between which it was read, in ms. */
interface Reading {
  readonly shownMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

async function read(client: Redis, ask: (client: Redis) => Promise<number>): Promise<Reading> {
  const fromMs = performance.now();
  const shownMs = await ask(client);
  return { shownMs, fromMs, toMs: performance.now() };
}

async function timeMs(client: Redis): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}

/** How far the server's clock is ahead of this process's, with the error of the measurement. */
async function aheadMs(client: Redis): Promise<{ low: number; high: number }> {
  const before = Date.now();
  const shown = await timeMs(client);
  // A reading of Date.now() is cut off to a whole millisecond.
  return { low: shown - Date.now() - 1, high: shown - before };
}

async function expectAhead(client: Redis, ms: number): Promise<void> {
  const { low, high } = await aheadMs(client);
  expect(ms).to.be.within(low, high);
}

/**
 * Bounds of the rate at which something counts. It is measured until the bounds are as narrow
 * as asked for, so that a machine under load makes this slower and not less sharp.
 */
async function measureRate(
  client: Redis,
  width: number,
  ask: (client: Redis) => Promise<number>,
): Promise<{ low: number; high: number }> {
  const readings = [await read(client, ask)];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const last = await read(client, ask);
    // Not against the first alone: a reading that took long, as the machine stalled, is never sharp.
    for (const first of readings) {
      // PTTL counts whole milliseconds.
      const shown = Math.abs(last.shownMs - first.shownMs);
      const low = (shown - 1) / (last.toMs - first.fromMs);
      const high = (shown + 1) / Math.max(1, last.fromMs - first.toMs);
      if (high - low < width) return { low, high };
    }
    readings.push(last);
  }
}

describeWithClocks("the clock of a server", () => {
  let fleet: RedisFleet;
  let client: Redis;
  let clock: ServerClock;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 2, provider: "process", server: { clock: true } });
    const [node] = fleet.nodes;
    if (node === undefined) throw new Error("no node");
    client = await oneShotClient(node.url);
    clock = node.clock;
  });

  afterEach(async () => {
    clock.reset();
    await client.flushall();
  });

  after(async () => {
    client.disconnect();
    await fleet.stop();
  });

  const pttl = (key: string) => (asked: Redis) => asked.pttl(key);

  it("is true at first", async () => {
    await expectAhead(client, 0);
  });

  for (const ms of [1, 250.5, 10_000, 86_400_000, -1, -10_000, -86_400_000]) {
    it(`jumps by ${ms} ms, and keeps there`, async () => {
      clock.jump(ms);
      await expectAhead(client, ms);
      await expectAhead(client, ms);
      clock.reset();
      await expectAhead(client, 0);
    });
  }

  it("adds jumps up", async () => {
    for (const ms of [5000, -2000, 700]) clock.jump(ms);
    await expectAhead(client, 3700);
  });

  it("jumps between two commands of a connection, often enough to catch a torn reading", async () => {
    for (let turn = 0; turn < 300; turn++) {
      clock.jump(60_000);
      await expectAhead(client, 60_000);
      clock.jump(-60_000);
      await expectAhead(client, 0);
    }
  });

  it("is that of one server alone", async () => {
    clock.jump(60_000);
    const other = await oneShotClient(fleet.nodes[1]?.url ?? "");
    await expectAhead(other, 0);
    other.disconnect();
  });

  it("is that of the machine: a restart of the server does not set it right", async () => {
    const node = fleet.nodes[1];
    if (node === undefined) throw new Error("no node");
    node.clock.jump(-60_000);
    await node.restart();
    const again = await oneShotClient(node.url);
    await expectAhead(again, -60_000);
    again.disconnect();
  });

  describe("is what keys expire by", () => {
    it("when it jumps forward", async () => {
      await client.set("short", "value", "PX", 20_000);
      await client.set("long", "value", "PX", 60_000);
      clock.jump(30_000);
      expect(await client.get("short")).to.equal(null);
      expect(await client.pttl("long")).to.be.within(1, 30_000);
    });

    it("when it jumps back", async () => {
      await client.set("key", "value", "PX", 20_000);
      clock.jump(-30_000);
      expect(await client.pttl("key")).to.be.within(30_001, 50_000);
      clock.jump(30_000);
      expect(await client.pttl("key")).to.be.within(1, 20_000);
    });

    it("also when nobody asks for them", async () => {
      await client.set("key", "value", "PX", 60_000);
      clock.jump(120_000);
      await until(async () => (await client.dbsize()) === 0);
    });

    it("inside scripts, too", async () => {
      const script = `
        local before = redis.call('TIME')
        redis.call('SET', KEYS[1], 'value', 'PX', 60000)
        return { before[1], redis.call('PTTL', KEYS[1]) }`;
      clock.jump(3_600_000);
      const before = Date.now();
      const reply = await client.eval(script, 1, "key");
      const [seconds, left] = Array.isArray(reply) ? reply : [];
      expect(Number(seconds) * 1000).to.be.within(before + 3_599_000, Date.now() + 3_600_000);
      // A script's commands are a moment apart, which a machine that stalls makes a long one.
      expect(left).to.be.within(30_000, 60_000);
      clock.jump(60_001);
      expect(await client.exists("key")).to.equal(0);
    });
  });

  for (const factor of [0.5, 0.995, 1, 1.005, 2]) {
    it(`runs at ${factor} times the true rate, as TIME and PTTL show`, async () => {
      await client.set("key", "value", "PX", 3_600_000);
      clock.rate(factor);
      // Narrow enough to tell each of these factors from the next.
      const time = await measureRate(client, 0.004, timeMs);
      expect(factor).to.be.within(time.low, time.high);
      const ttl = await measureRate(client, 0.004, pttl("key"));
      expect(factor).to.be.within(ttl.low, ttl.high);
    });
  }

  it("does not jump when its rate changes", async () => {
    clock.jump(5000);
    const from = performance.now();
    for (let turn = 0; turn < 500; turn++) clock.rate(turn % 2 === 0 ? 2 : 0);
    clock.rate(1);
    // At these rates it can gain or lose no more than the time that passed, and a rounding.
    const slackMs = performance.now() - from + 2;
    const { low, high } = await aheadMs(client);
    expect(low).to.be.at.most(5000 + slackMs);
    expect(high).to.be.at.least(5000 - slackMs);
  });

  it("stands still at rate 0, and can be set while it does", async () => {
    clock.rate(0);
    clock.jump(1000);
    const first = await timeMs(client);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await timeMs(client)).to.equal(first);
    clock.jump(250);
    expect((await timeMs(client)) - first).to.be.closeTo(250, 0.01);
  });

  it("goes back to true time and rate", async () => {
    clock.rate(2);
    clock.jump(-40_000);
    clock.reset();
    await expectAhead(client, 0);
    const { low, high } = await measureRate(client, 0.01, timeMs);
    expect(1).to.be.within(low, high);
  });

  it("rejects what is no number of milliseconds and no factor", () => {
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      expect(() => clock.jump(bad)).to.throw(
        Number.isNaN(bad) ? TypeError : RangeError,
        String(bad),
      );
      expect(() => clock.rate(bad)).to.throw(
        Number.isNaN(bad) ? TypeError : RangeError,
        String(bad),
      );
    }
    expect(() => clock.rate(-0.1)).to.throw(RangeError, /factor.*-0.1/);
  });

  it("does not stop the server's own work when it goes back", async () => {
    clock.jump(-86_400_000);
    await client.set("key", "value", "PX", 50);
    // Expiry of a key that nobody asks for is the work of a timer.
    await until(async () => (await client.dbsize()) === 0);
  });

  it("is not taken for changed by a program that ignores it", async () => {
    const dir = mkdtempSync(join(tmpdir(), "quorate-wrapper-"));
    const binary = join(dir, "redis-server");
    const program = `unset LD_PRELOAD\nexec '${findRedisBinary()}' "$@"`;
    writeFileSync(binary, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    const error = await rejection(RedisProcess.start({ clock: true, binary }));
    rmSync(dir, { recursive: true });
    expect(error).to.include({ name: "UnavailableError", code: "QUORATE_TESTING_NO_CLOCK" });
    expect(error.message).to.include(binary);
  });
});

describeWithClocks("the library that changes a clock", () => {
  const SOURCE = String.raw`
    #include <stdio.h>
    static int opens(const char *path) { return fopen(path, "r") != NULL; }
    int main(void) { return printf("%d %d", opens("/proc/cpuinfo"), opens("/proc/self/maps")) < 0; }`;
  let dir: string;
  let clock: ServerClock;

  before(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-shim-"));
    clock = new ServerClock(join(dir, "clock"));
  });
  after(() => {
    clock.close();
    rmSync(dir, { recursive: true });
  });

  // Servers are compiled with the second, for which libc has another name of the function.
  for (const flags of [[], ["-D_FILE_OFFSET_BITS=64"]]) {
    it(`hides from a program that there is a counter to tell time by: cc ${flags.join("")}`, async () => {
      const program = join(dir, "program");
      const compiler = process.env["CC"] || "cc";
      execFileSync(compiler, [...flags, "-x", "c", "-", "-o", program], { input: SOURCE });
      const opened = (env: NodeJS.ProcessEnv): string =>
        execFileSync(program, { encoding: "utf8", env: { ...process.env, ...env } });
      const preloaded = { LD_PRELOAD: await clockShim() };
      expect(opened({ ...preloaded, QUORATE_CLOCK_FILE: join(dir, "clock") })).to.equal("0 1");
      expect(opened(preloaded), "without a clock to show").to.equal("1 1");
    });
  }
});

describe("a server whose clock was not asked for", () => {
  it("has none to change", async () => {
    const fleet = await RedisFleet.start({ nodes: 1, provider: "process" });
    try {
      expect(() => fleet.nodes[0]?.clock).to.throw(/without `clock: true`/);
    } finally {
      await fleet.stop();
    }
  });
});

describe("a machine without a C compiler", () => {
  it("has its lack named by the error", function () {
    if (process.platform !== "linux") this.skip();
    const script = `
      import { clockShim } from ${JSON.stringify(CLOCK_SHIM)};
      const failure = await clockShim().catch((error) => error);
      process.stdout.write(\`\${failure.code}: \${failure.message}\`);`;
    // A directory of its own, because a library that was compiled before would be used.
    const dir = mkdtempSync(join(tmpdir(), "quorate-no-cc-"));
    const env = { ...process.env, CC: "/no/such/cc", TMPDIR: dir };
    const args = ["--input-type=module", "-e", script];
    const failure = execFileSync(process.execPath, args, { encoding: "utf8", env });
    rmSync(dir, { recursive: true });
    expect(failure).to.match(/^QUORATE_TESTING_NO_CLOCK: .*compiler.*\/no\/such\/cc/);
  });
});
