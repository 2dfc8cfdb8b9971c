import { openPeer } from "../subjects/peer.js";
import type { PeerName } from "../subjects/peers.js";
import { TTL_MS } from "../subjects/subject.js";
import type { Acquire } from "./contention.js";

/** As the library waits at its defaults; where it gives up, it is asked again at once. */
export async function acquirePeer(name: PeerName, urls: readonly string[]): Promise<Acquire> {
  const client = await openPeer(name, urls);
  return async () => {
    for (;;) {
      try {
        const grant = await client.acquire("contended", TTL_MS);
        return () => grant.release();
      } catch {
        // It has waited as long as it wanted to; the worker still wants the lock.
      }
    }
  };
}
