import { nameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { OneName, WHOLE_NAME } from "./one-name.js";

const QUEUE: QueueRules = { ...WHOLE_NAME, handsOver: true, isRefreshed: true };
const ALL = { minHold: true, transfer: true } as const;

/** The plain mutex: the lock key holds the ownerId, and nothing stands beside it. */
export class Exclusive extends OneName {
  get id(): "exclusive" {
    return "exclusive";
  }

  get words(): string {
    return "an exclusive lock";
  }

  override get queue(): QueueRules {
    return QUEUE;
  }

  override get allows(): LockKind["allows"] {
    return ALL;
  }

  override covers(other: LockKind): boolean {
    return isCoveredByMutex(other);
  }
}

/** An exclusive lock is all that a shared one is. */
export function isCoveredByMutex({ id }: LockKind): boolean {
  return id === "exclusive" || id === "several" || id === "shared";
}

/** A plain mutex on a name. */
export function keysOf(keyPrefix: string, name: string): Exclusive {
  return new Exclusive(nameKeys(keyPrefix, name));
}
