import { companionKey, type NameKeys } from "./keys.js";

/**
 * How a lock lies in the keys of a node, where it is not the plain mutex: a string key that holds
 * the ownerId.
 *
 * - `shared`: many readers, each with an expiry of its own
 */
export const LAYOUT_KINDS = ["shared"] as const;

export type LayoutKind = (typeof LAYOUT_KINDS)[number];

/** A layout with what its steps on a node need beside lock key, fence key and queue key. */
export interface Layout {
  readonly kind: LayoutKind;
  /** More keys, all in the hash slot of the name. */
  readonly keys: readonly string[];
  /** More arguments, the same for every operation on the name. */
  readonly args: readonly string[];
}

/** Whether a lock on these keys stands beside others of its kind. */
export function isShared({ layout }: NameKeys): boolean {
  return layout?.kind === "shared";
}

/** The keys of a name for its readers. */
export function sharedKeys(keys: NameKeys): NameKeys {
  const readersKey = companionKey("readers", keys.lockKey);
  return { ...keys, layout: { kind: "shared", keys: [readersKey], args: [] } };
}
