// The process of one run: one library, measured from its import on. Forked by run.ts. Before the import, it loads
// nothing that the library would not load as well.
import type { RedlockLike } from "../compare/subjects/redlock-family.js";
import type * as Quorate from "../../src/index.js";
import { cpuClock } from "../process/cpu-clock.js";
import { serve } from "../process/serve.js";
import type { ColdLibrary } from "./plan.js";
import type { ColdSample } from "./sample.js";

export interface ColdJob {
  readonly library: ColdLibrary;
  /** URL of the package's entry as published. */
  readonly quorateUrl: string;
  readonly urls: readonly string[];
  readonly inFlight: number;
  readonly cycleCount: number;
}

interface Started {
  acquire(name: string): Promise<{ release(): Promise<unknown> }>;
}

const TTL_MS = 10_000;

const LIBRARIES: Readonly<
  Record<ColdLibrary, (quorateUrl: string) => Promise<(urls: readonly string[]) => Started>>
> = {
  quorate: importQuorate,
  redlock: importRedlock,
  ioredis: importIoredis,
};

serve(async ({ library, quorateUrl, urls, ...job }: ColdJob): Promise<ColdSample> => {
  const cpuUs = cpuClock();
  const open = await LIBRARIES[library](quorateUrl);
  const importCpuMs = cpuUs() / 1_000;
  if (library === "ioredis") {
    return { importCpuMs, firstLockMs: NaN, firstLockCpuMs: NaN, cycleCpuUs: NaN };
  }
  const fromMs = performance.now();
  const locks = open(urls);
  const first = await locks.acquire("cold:first");
  const firstLockMs = performance.now() - fromMs;
  const firstLockCpuMs = cpuUs() / 1_000;
  await first.release();
  cpuUs();
  await runCycles(locks, job);
  return {
    importCpuMs,
    firstLockMs,
    firstLockCpuMs,
    cycleCpuUs: cpuUs() / job.cycleCount,
  };
});

async function runCycles(
  locks: Started,
  { inFlight, cycleCount }: Pick<ColdJob, "inFlight" | "cycleCount">,
): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < cycleCount) await (await locks.acquire(`cold:${next++}`)).release();
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
}

async function importQuorate(url: string): Promise<(urls: readonly string[]) => Started> {
  const { LockManager } = (await import(url)) as typeof Quorate;
  return (urls) => new LockManager(urls, { ttlMs: TTL_MS });
}

async function importRedlock(): Promise<(urls: readonly string[]) => Started> {
  const { Redis } = await import("ioredis");
  const { default: Redlock } = await import("redlock");
  return (urls) => {
    const redlock = new Redlock(urls.map((url) => new Redis(url))) as unknown as RedlockLike;
    return { acquire: (name) => redlock.acquire([name], TTL_MS) };
  };
}

async function importIoredis(): Promise<(urls: readonly string[]) => Started> {
  await import("ioredis");
  return () => {
    throw new TypeError("ioredis locks nothing");
  };
}
