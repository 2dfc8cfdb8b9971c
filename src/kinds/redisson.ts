import type { NameKeys } from "../protocol/keys.js";
import { OneName } from "./one-name.js";
import { JOIN_ONLY } from "./owned.js";

/** A lock as Redisson lays it out: the lock key is the hash, with the owner as its field. */
export class Redisson extends OneName {
  readonly #owner: string | undefined;
  readonly #isJoinOnly: boolean;

  /** @param owner undefined: every hold is an owner of its own */
  constructor(keys: NameKeys, owner?: string, isJoinOnly = false) {
    super(keys);
    this.#owner = owner;
    this.#isJoinOnly = isJoinOnly;
  }

  get id(): "owned" {
    return "owned";
  }

  get words(): string {
    return "a lock in the layout of Redisson";
  }

  override get owner(): string | undefined {
    return this.#owner;
  }

  override get layout(): "redisson" {
    return "redisson";
  }

  override get scriptArgs(): readonly string[] {
    const { owner = "", lockKey } = this;
    return [owner, redissonChannel(lockKey), this.#isJoinOnly ? JOIN_ONLY : ""];
  }

  override get isJoinOnly(): boolean {
    return this.#isJoinOnly;
  }

  override joinOnly(): Redisson | undefined {
    return this.owner === undefined ? undefined : new Redisson(this, this.owner, true);
  }
}

/** Where Redisson tells those of its clients that wait for a lock that it is free. */
export function redissonChannel(lockKey: string): string {
  return `redisson_lock__channel:${lockKey.includes("{") ? lockKey : `{${lockKey}}`}`;
}
