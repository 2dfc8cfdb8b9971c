import { randomUUID } from "node:crypto";
import { untilQuorum } from "./quorum.js";
import { openRawClients, type RawClient } from "./raw-clients.js";
import { TTL_MS, type Subject } from "./subject.js";

/**
 * The two commands of a lock, fanned out by hand over ioredis: no validity, no timeouts, no rollback, no fencing. The
 * figure to beat.
 */
export function raw(enableAutoPipelining: boolean): Subject {
  let clients: RawClient[] = [];
  return {
    sends: ["set", "eval", "evalsha"],
    open: async (urls) => {
      clients = await openRawClients(urls, { enableAutoPipelining });
    },
    cycle: async (name) => {
      const key = `lock:${name}`;
      const value = randomUUID();
      const grants = clients.map((client) => client.set(key, value, "PX", TTL_MS, "NX"));
      await untilQuorum(grants, (answer) => answer === "OK");
      const releases = clients.map((client) => client.compareAndDelete(key, value));
      await untilQuorum(releases, (answer) => answer === 1);
    },
  };
}
