import type { LockInfo, LockManagerSnapshot } from "../api/reports.js";
import type { LockKind } from "../protocol/lock-kind.js";

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
