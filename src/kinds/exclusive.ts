import { nameKeys, type NameKeys } from "../protocol/keys.js";
import type { KeysInProcess, LockKind, QueueRules } from "../protocol/lock-kind.js";

/** How most kinds wait: in one wait queue for the name as a whole. */
export const WHOLE_NAME: QueueRules = {
  placePrefix: "",
  leavePrefix: "",
  admitsOthers: false,
  passesOn: false,
  rejoins: true,
  keepsPlace: true,
  isRefreshed: false,
  isDeferred: false,
};

const NOTHING = { minHold: false, transfer: false };
const NONE: readonly string[] = [];

type KindOfLock = Pick<LockKind, "id" | "words"> & Partial<LockKind>;

/**
 * A lock on a name or several: what its kind says, and otherwise the usual.
 *
 * An instance, not a literal: V8 may allocate the objects of a long-lived literal in old space, where each keeps what
 * it refers to from being collected soon, and every acquire needs one of these. The constructor alone sets its fields, each once.
 */
export class NamedLock implements LockKind {
  declare readonly id: LockKind["id"];
  declare readonly words: string;
  declare readonly name: string;
  declare readonly lockKey: string;
  declare readonly fenceBucket: string;
  declare readonly names: readonly string[];
  declare readonly lockKeys: readonly string[];
  declare readonly scriptArgs: readonly string[];
  declare readonly waitQueueKey: string;
  declare readonly holderKey: string;
  declare readonly queue: QueueRules;
  declare readonly permits: LockKind["permits"];
  declare readonly parts: LockKind["parts"];
  declare readonly joinOnly: LockKind["joinOnly"];
  declare readonly allows: LockKind["allows"];
  declare readonly isMutex: boolean;
  declare readonly mode: LockKind["mode"];
  declare readonly owner: string | undefined;
  declare readonly layout: LockKind["layout"];

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
    this.parts = kind.parts;
    this.joinOnly = kind.joinOnly;
    this.allows = kind.allows ?? NOTHING;
    this.isMutex = kind.isMutex ?? false;
    this.mode = kind.mode ?? "exclusive";
    this.owner = kind.owner;
    this.layout = kind.layout ?? "redlock";
  }
}

const KIND = {
  id: "exclusive",
  words: "an exclusive lock",
  isMutex: true,
  queue: { ...WHOLE_NAME, passesOn: true, isRefreshed: true, isDeferred: true },
  allows: { minHold: true, transfer: true },
} as const;

/** The exclusive lock of one name: the lock key holds the ownerId, and nothing is stored next to it. */
export function exclusiveLock(keys: NameKeys): LockKind {
  return new NamedLock(keys, KIND);
}

const UNSHARED = { ...KIND, queue: { ...KIND.queue, passesOn: false } };

/**
 * One that is never passed on within its process, as the nodes have to know who has it: the term of an election, of which
 * observers are told, and what a set has of one of its names, which it replaces on the nodes.
 */
export function unsharedLock(keys: NameKeys): LockKind {
  return new NamedLock(keys, UNSHARED);
}

/** Of the lock that a node has granted by itself: nodes do so with exclusive locks of one name. */
export function grantedKeys(lockKey: string): KeysInProcess {
  return { waitQueueKey: lockKey, holderKey: lockKey };
}

/** An exclusive lock of one name. */
export function keysOf(keyPrefix: string, name: string): LockKind {
  return exclusiveLock(nameKeys(keyPrefix, name));
}
