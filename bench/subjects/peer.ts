import { subjectEntry } from "../compare/subjects/index.js";
import type { LockClient } from "../compare/subjects/subject.js";
import { PEER_SENDS, type PeerName } from "./peers.js";
import { TTL_MS, type Subject } from "./subject.js";

/** Another library with its client and settings at their defaults, as in the comparison. */
export function peer(name: PeerName): Subject {
  let client: LockClient | undefined;
  return {
    sends: PEER_SENDS[name],
    open: async (urls) => {
      client = await openPeer(name, urls);
    },
    cycle: async (lockName) => {
      const grant = await client?.acquire(lockName, TTL_MS);
      await grant?.release();
    },
  };
}

export async function openPeer(name: PeerName, urls: readonly string[]): Promise<LockClient> {
  return (await subjectEntry(name).load()).open(urls, {});
}
