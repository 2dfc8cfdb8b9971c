/**
 * Bytes of the heap that are in use after garbage collection.
 *
 * @throws Error unless the process runs with --expose-gc.
 */
export function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error("--expose-gc is missing");
  // Twice: what the first one finalizes is garbage for the second.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Arguments of Node.js for processes that call {@link heapBytes}. */
export const EXPOSE_GC = ["--expose-gc"] as const;
