import type { Lock, LockManager } from "../../src/index.js";
import type { Tenure } from "./tenure.js";

/** The lock, or what came instead: `held`, `aborted`, or the code of an error. */
export interface Acquired {
  readonly lock: Lock | undefined;
  readonly result: string;
}

/** One acquire as the tenure wants it. What is no failure of the library is passed on as an error. */
export async function acquireSome(
  locks: LockManager,
  { name, waitMs, renew }: Tenure,
  signal: AbortSignal,
): Promise<Acquired> {
  try {
    const lock =
      waitMs === undefined
        ? await locks.tryAcquire(name, { renew, signal })
        : await locks.acquire(name, { waitMs, renew, signal });
    return lock === null ? { lock: undefined, result: "held" } : { lock, result: "granted" };
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { lock: undefined, result: "aborted" };
    const { code } = error as { code?: string };
    if (typeof code !== "string") throw error;
    const isHeld = code === "QUORATE_WAIT_TIMEOUT" || code === "QUORATE_CONTENDED";
    return { lock: undefined, result: isHeld ? "held" : code };
  }
}
