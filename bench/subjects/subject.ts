/** One way to lock on a quorum of Redis nodes. A subject is one small file and one line in `index.ts`. */
export interface Subject {
  /** Redis commands that it sends itself; commands that its scripts call on the server do not count as sent. */
  readonly sends: readonly string[];
  /** Connects to all nodes. The first cycle must not have to wait for a connection. */
  open(urls: readonly string[]): Promise<void>;
  /** Acquires the lock of that name on a quorum, releases it, and resolves when a quorum confirmed both. */
  cycle(name: string): Promise<void>;
}

/** Ttl of every subject's locks, ms: no run comes close to it. */
export const TTL_MS = 10_000;
