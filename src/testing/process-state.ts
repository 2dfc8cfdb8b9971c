import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that gets no processor, on a machine that is busy, does not see the signal so long. */
const STOPPED_MS = 30_000;

/**
 * Waits until the kernel has really stopped the process after a SIGSTOP. While the signal is still
 * on its way to another core, the process could answer one more request.
 *
 * Only Linux shows this; elsewhere it waits for a short while.
 */
export async function waitUntilStopped(pid: number): Promise<void> {
  const endMs = performance.now() + STOPPED_MS;
  do {
    const state = await processState(pid);
    if (state === "T") return;
    await sleep(state === undefined ? 20 : 2);
    if (state === undefined) return;
  } while (performance.now() < endMs);
  throw new Error(`process ${pid} did not stop`);
}

async function processState(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // "pid (name) state ...", and a name may contain parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  } catch {
    return undefined;
  }
}
