import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { HostSeen } from "./seen.js";

/** Watches this process and its clocks for `durationMs`. */
export async function watchHost(durationMs: number): Promise<HostSeen> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  await sleep(durationMs);
  const watchedMs = performance.now() - steadyMs;
  const wallGainMs = Date.now() - wallMs - watchedMs;
  delays.disable();
  return { watchedMs, wallGainMs, stallMs: delays.max / 1e6 };
}
