import { isPeer } from "./peers.js";

/** Gets the lock of that name, however long it takes: resolves to how to release it. */
export type Acquire = (name: string) => Promise<() => Promise<unknown>>;

/** By a library that waits for a lock, each at its defaults. Loaded on demand, so that a process holds the code of one. */
export async function openAcquire(subjectName: string, urls: readonly string[]): Promise<Acquire> {
  return isPeer(subjectName)
    ? (await import("./acquire-peer.js")).acquirePeer(subjectName, urls)
    : (await import("./acquire-quorate.js")).acquireQuorate(subjectName, urls);
}
