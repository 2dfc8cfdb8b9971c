import { createHash } from "node:crypto";

/**
 * A server compares, sorts and slices bytes. Here each byte is one character of a string, so ASCII text, which is
 * nearly all there is, needs no conversion.
 */
export function bytesOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** As a server hashes them. */
export function sha1Of(bytes: string): string {
  return createHash("sha1").update(bytes, "latin1").digest("hex");
}

/** These bytes decoded as UTF-8. */
export function textOf(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}
