import { isPeer } from "./peers.js";

/** Acquires the lock of that name, however long it takes: resolves to how to release it. */
export type Acquire = (name: string) => Promise<() => Promise<unknown>>;

/** For libraries that wait, each with its defaults. Loaded on demand: a process holds the code of one only. */
export async function openAcquire(subjectName: string, urls: readonly string[]): Promise<Acquire> {
  if (subjectName === "poll") return (await import("./acquire-poll.js")).acquirePoll(urls);
  return isPeer(subjectName)
    ? (await import("./acquire-peer.js")).acquirePeer(subjectName, urls)
    : (await import("./acquire-quorate.js")).acquireQuorate(subjectName, urls);
}
