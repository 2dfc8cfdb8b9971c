import type { Lock, LockManager } from "../../src/index.js";
import type { Tenure } from "./tenure.js";

/** The lock, or the result without one: `held`, `aborted`, or an error code. */
export interface Acquired {
  readonly lock: Lock | undefined;
  readonly result: string;
}

/** One acquire as the tenure requests it. Errors that are not the library's are thrown. */
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
