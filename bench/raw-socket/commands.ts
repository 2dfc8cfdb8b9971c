import { createHash } from "node:crypto";
import { TTL_MS } from "../subjects/subject.js";

/** A RESP command, as text of one-byte characters. */
export function encode(...parts: readonly (string | number)[]): string {
  const bulks = parts.map((part) => `$${`${part}`.length}\r\n${part}\r\n`);
  return `*${parts.length}\r\n${bulks.join("")}`;
}

export const sha1Of = (script: string): string => createHash("sha1").update(script).digest("hex");

/** Length of an owner's value, so that everything but the value can be encoded in advance. */
const VALUE_LENGTH = 22;

/** `around(value)` is the command with that value inserted. */
export type Encoded = (value: string) => string;

/** `SET key value NX PX`, encoded except for the value. */
export function grantOf(key: string): Encoded {
  return around((value) => encode("SET", key, value, "NX", "PX", TTL_MS));
}

/** A call of a loaded script with keys, encoded except for the value, its only argument. */
export function callOf(script: string, ...keys: readonly string[]): Encoded {
  const sha1 = sha1Of(script);
  return around((value) => encode("EVALSHA", sha1, keys.length, ...keys, value));
}

function around(encodeWith: (value: string) => string): Encoded {
  const placeholder = "?".repeat(VALUE_LENGTH);
  const [head = "", tail = ""] = encodeWith(placeholder).split(placeholder);
  return (value) => head + value + tail;
}

/** Generates values that no other process generates. */
export function valuesOf(prefix: string): () => string {
  let count = 0;
  return () => prefix + (count++).toString(36).padStart(VALUE_LENGTH - prefix.length, "0");
}
