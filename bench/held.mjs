// What many held and renewed locks cost:
//   node --expose-gc bench/held.mjs [count] [seconds] [build] [spread]
// `build` is where `tsc` put the sources (`build` by default). With `spread` the locks are acquired at
// an even pace over one ttl, otherwise as fast as possible. One client process on a fleet of five
// servers of its own; prints one line of JSON.
import { resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [count, seconds] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 20)];
const build = resolve(process.argv[4] ?? "build");
const load = (path) => import(pathToFileURL(`${build}/src/${path}`).href);
const { LockManager } = await load("index.js");
const { RedisFleet } = await load("testing/index.js");

const isSpread = process.argv[5] === "spread";

/** Acquires under way at once. */
const CONCURRENCY = 256;
const TTL_MS = 10_000;

const fleet = await RedisFleet.start({ nodes: 5 });
const locks = new LockManager(fleet.urls, { ttlMs: TTL_MS });
let lostCount = 0;
const reasons = {};
locks.on("lost", ({ reason }) => {
  lostCount++;
  const key = `${reason}@${Math.round(performance.now() / 250) / 4}`;
  reasons[key] = (reasons[key] ?? 0) + 1;
});
if (process.env.EVENTS)
  locks.on("node", (e) => console.error(performance.now().toFixed(0), JSON.stringify(e)));
await locks.ready();

const commands = async () => {
  const sums = { cpuUs: 0, calls: {}, scriptUs: 0 };
  for (const node of fleet.nodes) {
    const info = `${await node.command("INFO", "cpu")}\n${await node.command("INFO", "commandstats")}`;
    for (const [, s] of info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)) sums.cpuUs += s * 1e6;
    for (const [, name, calls, us] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)) {
      sums.calls[name] = (sums.calls[name] ?? 0) + Number(calls);
      if (name === "evalsha") sums.scriptUs += Number(us);
    }
  }
  return sums;
};

async function heap() {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

// Not the first use of everything.
for (let i = 0; i < 500; i++) await (await locks.acquire(`warm:${i % 50}`)).release();
const held = Array.from({ length: count }, () => undefined);
const heapBefore = await heap();

const startedMs = performance.now();
let next = 0;
await Promise.all(
  Array.from({ length: CONCURRENCY }, async () => {
    for (let i = next++; i < count; i = next++) {
      const earlyMs = isSpread ? (i / count) * TTL_MS - (performance.now() - startedMs) : 0;
      if (earlyMs > 0) await sleep(earlyMs);
      held[i] = await locks.acquire(`held:${i}`, { waitMs: 2_000 });
    }
  }),
);
const acquireMs = performance.now() - startedMs;
const heapAfter = await heap();

await sleep(TTL_MS / 2);
const delay = monitorEventLoopDelay({ resolution: 10 });
const [before, cpu, fromMs] = [await commands(), process.cpuUsage(), performance.now()];
delay.enable();
await sleep(seconds * 1_000);
delay.disable();
const [used, passedMs, after] = [
  process.cpuUsage(cpu),
  performance.now() - fromMs,
  await commands(),
];
const heapSteady = await heap();
const per = (name) => (after.calls[name] ?? 0) - (before.calls[name] ?? 0);
const calls = per("evalsha");
console.log(
  JSON.stringify({
    count,
    acquireMs: Math.round(acquireMs),
    heapPerLock: Math.round((heapAfter - heapBefore) / count),
    heapSteadyPerLock: Math.round((heapSteady - heapBefore) / count),
    cpuPercent: Number(((used.user + used.system) / passedMs / 10).toFixed(2)),
    nodesCpuPercent: Number(((after.cpuUs - before.cpuUs) / passedMs / 10).toFixed(2)),
    scriptCallsPerNodeAndSecond: Number((calls / 5 / (passedMs / 1_000)).toFixed(1)),
    usPerScriptCall: Math.round((after.scriptUs - before.scriptUs) / calls),
    pexpirePerNodeAndSecond: Math.round(per("pexpire") / 5 / (passedMs / 1_000)),
    commandsPerNodeAndSecond: Math.round(
      Object.keys(after.calls).reduce((sum, name) => sum + per(name), 0) / 5 / (passedMs / 1_000),
    ),
    loopDelayMs: {
      p50: delay.percentile(50) / 1e6,
      p99: Number((delay.percentile(99) / 1e6).toFixed(1)),
      p999: Number((delay.percentile(99.9) / 1e6).toFixed(1)),
      max: Number((delay.max / 1e6).toFixed(1)),
    },
    lostCount,
    reasons,
    notHeld: held.filter((lock) => !lock.isHeld).length,
  }),
);
const closingMs = performance.now();
await locks.close();
console.log(JSON.stringify({ closeMs: Math.round(performance.now() - closingMs) }));
await fleet.stop();
