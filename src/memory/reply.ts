import { textOf } from "./bytes.js";
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

/** A reply as a client shows it: text, numbers, null, and lists of them. */
export function plainReply(reply: Reply): unknown {
  if (typeof reply === "string") return textOf(reply);
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map((item) => plainReply(item as Reply)) : reply;
}
