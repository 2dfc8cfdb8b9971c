import type { Subject } from "./subject.js";

/**
 * Every subject, in the order of the tables. Loaded on demand: a client process holds the code of
 * one subject only.
 */
const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  quorate: async () => (await import("./quorate.js")).quorate(true),
  "quorate-nofence": async () => (await import("./quorate.js")).quorate(false),
  redlock: async () => (await import("./redlock.js")).redlock(),
  raw: async () => (await import("./raw.js")).raw(false),
  "raw-autopipelined": async () => (await import("./raw.js")).raw(true),
};

export const SUBJECT_NAMES: readonly string[] = Object.keys(SUBJECTS);

export async function loadSubject(name: string): Promise<Subject> {
  const load = SUBJECTS[name];
  if (load === undefined) throw new RangeError(`no subject "${name}"`);
  return load();
}
