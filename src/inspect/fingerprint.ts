import { createHash } from "node:crypto";

/** What stands before the label in an owner of ours. */
const OWNER_LENGTH = 22;

/**
 * Tells owners apart without giving them away: whoever knows an owner can release its lock. The
 * first 8 hex digits of its SHA-256.
 */
export function fingerprintOf(ownerId: string): string {
  return createHash("sha256").update(ownerId).digest("hex").slice(0, 8);
}

/** The label behind an owner, if it has one. */
export function labelOf(ownerId: string): string | undefined {
  const label = ownerId.charAt(OWNER_LENGTH) === ":" ? ownerId.slice(OWNER_LENGTH + 1) : "";
  return label === "" ? undefined : label;
}
