import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";

/** How most kinds wait: in one wait queue for the name as a whole. */
export const WHOLE_NAME: QueueRules = {
  placePrefix: "",
  leavePrefix: "",
  admitsOthers: false,
  rotates: false,
  handsOver: false,
  rejoins: true,
  isRefreshed: false,
};

const NOTHING = { minHold: false, transfer: false };
const NONE: readonly string[] = [];

/** A lock on a name: as its kind says, and else like most. */
export function lockOf(
  { name, lockKey, fenceBucket, queueKey }: NameKeys,
  kind: Pick<LockKind, "id" | "words"> & Partial<LockKind>,
): LockKind {
  return {
    name,
    lockKey,
    fenceBucket,
    queueKey,
    names: [name],
    lockKeys: [lockKey],
    scriptArgs: NONE,
    waitQueueKey: lockKey,
    holderKey: lockKey,
    queue: WHOLE_NAME,
    slots: undefined,
    joinOnly: undefined,
    isJoinOnly: false,
    allows: NOTHING,
    isMutex: false,
    mode: "exclusive",
    owner: undefined,
    layout: "redlock",
    ...kind,
  };
}
