import { companionKey, type NameKeys } from "../protocol/keys.js";
import { OneName } from "./one-name.js";

/** What a node is asked by an acquire that may only get in where its owner is in already. */
export const JOIN_ONLY = "again";

/**
 * A lock of a named owner, who may hold it many times at once: the lock key says who it is, and a hash beside
 * it has its holds.
 */
export class Owned extends OneName {
  readonly #owner: string;
  readonly #isJoinOnly: boolean;
  readonly #scriptKeys: readonly string[];

  constructor(keys: NameKeys, owner: string, isJoinOnly = false) {
    super(keys);
    this.#owner = owner;
    this.#isJoinOnly = isJoinOnly;
    this.#scriptKeys = [companionKey("holds", keys.lockKey)];
  }

  get id(): "owned" {
    return "owned";
  }

  get words(): string {
    return "a lock of an owner";
  }

  override get owner(): string {
    return this.#owner;
  }

  override get scriptKeys(): readonly string[] {
    return this.#scriptKeys;
  }

  override get scriptArgs(): readonly string[] {
    return [this.owner, "", this.#isJoinOnly ? JOIN_ONLY : ""];
  }

  override get isJoinOnly(): boolean {
    return this.#isJoinOnly;
  }

  override joinOnly(): Owned {
    return new Owned(this, this.owner, true);
  }
}
