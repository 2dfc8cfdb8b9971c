import { textOf } from "./bytes.js";
import type { RedisError } from "./errors.js";

/** A status reply, like `OK`: a script sees it as a table with the field `ok`. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const OK = new Status("OK");

/**
 * A command's reply. Strings are bytes, one per character; null is the absence of a value; errors occur only within a
 * list.
 */
export type Reply = string | number | null | Status | RedisError | readonly Reply[];

/** A reply as a client shows it: text, numbers, null, and lists of them. */
export function plainReply(reply: Reply): unknown {
  if (typeof reply === "string") return textOf(reply);
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map((item) => plainReply(item as Reply)) : reply;
}
