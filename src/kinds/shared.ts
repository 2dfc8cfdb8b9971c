import { companionKey, type NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { OneName, WHOLE_NAME } from "./one-name.js";

const QUEUE: QueueRules = {
  ...WHOLE_NAME,
  placePrefix: "r",
  admitsOthers: true,
  isRefreshed: true,
};

/** One of many readers of a name: the lock key says that there are any, and each has an expiry of its own beside it. */
export class Shared extends OneName {
  readonly #scriptKeys: readonly string[];

  constructor(keys: NameKeys) {
    super(keys);
    this.#scriptKeys = [companionKey("readers", keys.lockKey)];
  }

  get id(): "shared" {
    return "shared";
  }

  get words(): string {
    return "a shared lock";
  }

  override get mode(): LockKind["mode"] {
    return "shared";
  }

  override get scriptKeys(): readonly string[] {
    return this.#scriptKeys;
  }

  override get queue(): QueueRules {
    return QUEUE;
  }
}
