import { companionKey, type NameKeys } from "../protocol/keys.js";
import type { TimestampLayout } from "../protocol/timestamps.js";
import { OneName } from "./one-name.js";

/** A lock whose key says when it ends, as hand-written code has it; its owner stands in a key beside it. */
export class Timestamp extends OneName {
  readonly #layout: TimestampLayout;
  readonly #scriptKeys: readonly string[];

  constructor(keys: NameKeys, layout: TimestampLayout) {
    super(keys);
    this.#layout = layout;
    this.#scriptKeys = [companionKey("stamp", keys.lockKey)];
  }

  get id(): "timestamp" {
    return "timestamp";
  }

  get words(): string {
    return "a lock in the layout of a timestamp";
  }

  override get layout(): TimestampLayout {
    return this.#layout;
  }

  override get scriptKeys(): readonly string[] {
    return this.#scriptKeys;
  }

  override get scriptArgs(): readonly string[] {
    return [this.#layout];
  }
}
