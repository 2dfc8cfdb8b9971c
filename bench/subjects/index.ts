import { PEER_NAMES } from "./peers.js";
import type { Subject } from "./subject.js";

/**
 * Every subject, in the order of the tables. Loaded on demand: a client process holds the code of only one subject.
 */
const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  quorate: async () => (await import("./quorate.js")).quorate(),
  ...Object.fromEntries(
    PEER_NAMES.map((name) => [name, async () => (await import("./peer.js")).peer(name)]),
  ),
  raw: async () => (await import("./raw.js")).raw(false),
  "raw-autopipelined": async () => (await import("./raw.js")).raw(true),
  "raw-socket": async () => (await import("./raw-socket.js")).rawSocket(),
};

export const SUBJECT_NAMES: readonly string[] = Object.keys(SUBJECTS);

/** @throws RangeError if there is no subject of that name. */
export async function loadSubject(name: string): Promise<Subject> {
  const load = SUBJECTS[name];
  if (load === undefined) throw new RangeError(`no subject "${name}"`);
  return load();
}
