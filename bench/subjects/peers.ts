import type { SubjectId } from "../compare/subjects/index.js";

/** Other libraries, under their names in the comparison. */
export const PEER_NAMES = [
  "redlock",
  "sesamecare",
  "redis-semaphore",
  "redlock-universal",
] as const satisfies readonly SubjectId[];

export type PeerName = (typeof PEER_NAMES)[number];

export const isPeer = (name: string): name is PeerName =>
  (PEER_NAMES as readonly string[]).includes(name);

/** The commands that each sends itself; their scripts do not call these commands. */
export const PEER_SENDS: Readonly<Record<PeerName, readonly string[]>> = {
  redlock: ["eval", "evalsha"],
  sesamecare: ["eval", "evalsha"],
  "redis-semaphore": ["set", "eval", "evalsha"],
  "redlock-universal": ["set", "eval", "evalsha"],
};
