import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Acquire } from "./acquire.js";
import { untilQuorum } from "./quorum.js";
import { openRawClients } from "./raw-clients.js";
import { TTL_MS } from "./subject.js";

/** Most between two attempts, ms. */
const PAUSE_MS = 20;

/** What people write by hand: `SET NX PX` on all nodes, again after a random pause as long as no quorum grants it. */
export async function acquirePoll(urls: readonly string[]): Promise<Acquire> {
  const clients = await openRawClients(urls, {});
  return async (name) => {
    const key = `lock:${name}`;
    for (;;) {
      const value = randomUUID();
      const release = () => Promise.all(clients.map((one) => one.compareAndDelete(key, value)));
      const grants = clients.map((one) => one.set(key, value, "PX", TTL_MS, "NX"));
      try {
        await untilQuorum(grants, (answer) => answer === "OK");
        return release;
      } catch {
        await release();
        await sleep(Math.random() * PAUSE_MS);
      }
    }
  };
}
