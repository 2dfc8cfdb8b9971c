/**
 * Heap in use after garbage collection, in bytes.
 *
 * @throws Error unless the process runs with --expose-gc.
 */
export function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error("--expose-gc is missing");
  // Twice: objects finalized by the first run are garbage for the second.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Node.js arguments for processes that call {@link heapBytes}. */
export const EXPOSE_GC = ["--expose-gc"] as const;
