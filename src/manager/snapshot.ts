import type { LockKind } from "../protocol/lock-kind.js";
import type { LockMode } from "../api/options.js";

/** One lock, held or waited for, in the shape of the Web Locks API. */
export interface LockInfo {
  readonly name: string;
  readonly mode: LockMode;
  /** The lock manager, the same for all of its locks and no other's. */
  readonly clientId: string;
}

/** What one lock manager holds and waits for, in the shape of the Web Locks API. */
export interface LockManagerSnapshot {
  readonly held: LockInfo[];
  readonly pending: LockInfo[];
}

/** What is held or waited for. Of several names each has an entry. */
export function snapshotOf(
  held: Iterable<{ readonly keys: LockKind }>,
  pending: Iterable<{ readonly keys: LockKind }>,
  clientId: string,
): LockManagerSnapshot {
  const infosOf = ({ keys }: { readonly keys: LockKind }): LockInfo[] => {
    const { names, mode } = keys;
    return names.map((name) => ({ name, mode, clientId }));
  };
  return { held: [...held].flatMap(infosOf), pending: [...pending].flatMap(infosOf) };
}
