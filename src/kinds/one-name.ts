import type { NameKeys } from "../protocol/keys.js";
import type { KindId, LockKind, QueueRules, Slots } from "../protocol/lock-kind.js";

/** Most kinds wait like this. */
export const WHOLE_NAME: QueueRules = {
  placePrefix: "",
  leavePrefix: "",
  admitsOthers: false,
  rotates: false,
  handsOver: false,
  rejoins: true,
  isRefreshed: false,
};

const NONE: readonly string[] = [];
const NOTHING = { minHold: false, transfer: false } as const;

/** What kinds of locks have in common, unless they say otherwise. */
export abstract class OneName implements LockKind {
  readonly name: string;
  readonly lockKey: string;
  readonly fenceKey: string;
  readonly queueKey: string;

  constructor({ name, lockKey, fenceKey, queueKey }: NameKeys) {
    this.name = name;
    this.lockKey = lockKey;
    this.fenceKey = fenceKey;
    this.queueKey = queueKey;
  }

  abstract get id(): KindId;

  abstract get words(): string;

  get scriptKeys(): readonly string[] {
    return NONE;
  }

  get scriptArgs(): readonly string[] {
    return NONE;
  }

  get placeKeys(): readonly string[] {
    return NONE;
  }

  get placeArgs(): readonly string[] {
    return NONE;
  }

  get names(): readonly string[] {
    return [this.name];
  }

  get lockKeys(): readonly string[] {
    return [this.lockKey];
  }

  includes(lockKey: string): boolean {
    return lockKey === this.lockKey;
  }

  get lineKey(): string {
    return this.lockKey;
  }

  get holderKey(): string {
    return this.lockKey;
  }

  get queue(): QueueRules {
    return WHOLE_NAME;
  }

  get slots(): Slots | undefined {
    return undefined;
  }

  joinOnly(): LockKind | undefined {
    return undefined;
  }

  get isJoinOnly(): boolean {
    return false;
  }

  get allows(): LockKind["allows"] {
    return NOTHING;
  }

  /** Only its own kind, of its own owner. */
  covers(other: LockKind): boolean {
    const { id, layout, owner } = this;
    return other.id === id && other.layout === layout && other.owner === owner;
  }

  get mode(): LockKind["mode"] {
    return "exclusive";
  }

  get owner(): string | undefined {
    return undefined;
  }

  get layout(): LockKind["layout"] {
    return "redlock";
  }
}
