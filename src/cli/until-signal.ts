import { setTimeout as sleep } from "node:timers/promises";
import { MAX_TIMER_MS } from "../runtime/validate.js";

/** Runs until it ends, or until ctrl-C or SIGTERM aborts the signal. */
export async function untilSignal<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await run(controller.signal);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Resolves after `ms`, at most 24 days, or earlier if the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal }).catch(() => {});
}
