import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until the kernel has really stopped the process after a SIGSTOP. While the signal is still
 * on its way to another core, the process could answer one more request.
 *
 * Only Linux shows this; elsewhere it waits for a short while.
 */
export async function waitUntilStopped(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const state = await processState(pid);
    if (state === "T") return;
    await sleep(state === undefined ? 20 : 2);
    if (state === undefined) return;
  }
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
