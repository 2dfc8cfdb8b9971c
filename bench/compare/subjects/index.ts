import type { Subject } from "./subject.js";

interface Entry {
  /** Its name in the registry. */
  readonly packageName: string;
  /** Default ttl of a lock, ms; undefined where the caller has to give one. */
  readonly defaultTtlMs: number | undefined;
  /** It opens its own connections, so there are no clients to configure. */
  readonly hasOwnConnections?: boolean;
  /** Loaded on demand, so that a process holds the code of one library only. */
  readonly load: () => Promise<Subject>;
}

/** Every subject, in the order of the columns. */
const SUBJECTS = {
  quorate: {
    packageName: "quorate",
    defaultTtlMs: 10_000,
    hasOwnConnections: true,
    load: async () => (await import("./quorate.js")).quorate,
  },
  redlock: {
    packageName: "redlock",
    defaultTtlMs: undefined,
    load: async () => (await import("./redlock.js")).redlock,
  },
  sesamecare: {
    packageName: "@sesamecare-oss/redlock",
    defaultTtlMs: undefined,
    load: async () => (await import("./sesamecare.js")).sesamecare,
  },
  "redis-semaphore": {
    packageName: "redis-semaphore",
    defaultTtlMs: 10_000,
    load: async () => (await import("./redis-semaphore.js")).redisSemaphore,
  },
  "redlock-universal": {
    packageName: "redlock-universal",
    defaultTtlMs: 30_000,
    load: async () => (await import("./redlock-universal.js")).redlockUniversal,
  },
} satisfies Readonly<Record<string, Entry>>;

export type SubjectId = keyof typeof SUBJECTS;

export const SUBJECT_IDS = Object.keys(SUBJECTS) as SubjectId[];

export const subjectEntry = (id: SubjectId): Entry => SUBJECTS[id];
