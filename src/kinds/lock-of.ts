import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";

/** How most kinds wait: in one wait queue for the name as a whole. */
export const WHOLE_NAME: QueueRules = {
  placePrefix: "",
  leavePrefix: "",
  admitsOthers: false,
  rotates: false,
  passesOn: false,
  rejoins: true,
  isRefreshed: false,
  isDeferred: false,
};

const NOTHING = { minHold: false, transfer: false };
const NONE: readonly string[] = [];

type KindOfLock = Pick<LockKind, "id" | "words"> & Partial<LockKind>;

/** A lock on a name: defaults, overridden by its kind. */
export function lockOf(keys: NameKeys, kind: KindOfLock): LockKind {
  return new NamedLock(keys, kind);
}

/**
 * An instance, not a literal: V8 may allocate the objects of a long-lived literal in old space, where each keeps what
 * it refers to from being collected soon, and every acquire needs one of these.
 */
class NamedLock implements LockKind {
  readonly id: LockKind["id"];
  readonly words: string;
  readonly name: string;
  readonly lockKey: string;
  readonly fenceBucket: string;
  readonly names: readonly string[];
  readonly lockKeys: readonly string[];
  readonly scriptArgs: readonly string[];
  readonly waitQueueKey: string;
  readonly holderKey: string;
  readonly queue: QueueRules;
  readonly permits: LockKind["permits"];
  readonly joinOnly: LockKind["joinOnly"];
  readonly isJoinOnly: boolean;
  readonly allows: LockKind["allows"];
  readonly isMutex: boolean;
  readonly mode: LockKind["mode"];
  readonly owner: string | undefined;
  readonly layout: LockKind["layout"];

  constructor({ name, lockKey, fenceBucket }: NameKeys, kind: KindOfLock) {
    this.id = kind.id;
    this.words = kind.words;
    this.name = kind.name ?? name;
    this.lockKey = lockKey;
    this.fenceBucket = kind.fenceBucket ?? fenceBucket;
    this.names = kind.names ?? [name];
    this.lockKeys = kind.lockKeys ?? [lockKey];
    this.scriptArgs = kind.scriptArgs ?? NONE;
    this.waitQueueKey = kind.waitQueueKey ?? lockKey;
    this.holderKey = kind.holderKey ?? lockKey;
    this.queue = kind.queue ?? WHOLE_NAME;
    this.permits = kind.permits;
    this.joinOnly = kind.joinOnly;
    this.isJoinOnly = kind.isJoinOnly ?? false;
    this.allows = kind.allows ?? NOTHING;
    this.isMutex = kind.isMutex ?? false;
    this.mode = kind.mode ?? "exclusive";
    this.owner = kind.owner;
    this.layout = kind.layout ?? "redlock";
  }
}
