import type { RedisError } from "./errors.js";

/** A short text that is no data, like `OK`: a script sees it as a table with the field `ok`. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const OK = new Status("OK");

/**
 * What a command answers. Strings are bytes, one a character; null is the absence of a value; an error
 * stands only within a list.
 */
export type Reply = string | number | null | Status | RedisError | readonly Reply[];
