import type { Acquire } from "./acquire.js";
import { openPeer } from "./peer.js";
import type { PeerName } from "./peers.js";
import { TTL_MS } from "./subject.js";

/** Waits as the library does by default. If the library gives up, it is asked again at once. */
export async function acquirePeer(peer: PeerName, urls: readonly string[]): Promise<Acquire> {
  const client = await openPeer(peer, urls);
  return async (name) => {
    for (;;) {
      try {
        const grant = await client.acquire(name, TTL_MS);
        return () => grant.release();
      } catch {
        // Its wait timed out; its user still wants the lock.
      }
    }
  };
}
