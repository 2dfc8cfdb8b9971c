import { createHash } from "node:crypto";

/**
 * Tells owners apart without giving them away: whoever knows an owner can release its lock. The
 * first 8 hex digits of its SHA-256.
 */
export function fingerprintOf(ownerId: string): string {
  return createHash("sha256").update(ownerId).digest("hex").slice(0, 8);
}
