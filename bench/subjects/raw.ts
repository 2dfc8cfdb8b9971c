import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { closeClients, openClients } from "./clients.js";
import { untilQuorum } from "./quorum.js";
import { TTL_MS, type Subject } from "./subject.js";

const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

type RawClient = Redis & {
  compareAndDelete(key: string, value: string): Promise<number>;
};

/**
 * The two commands of a lock, fanned out by hand over ioredis: no validity, no deadlines, no
 * rollback, no fencing. What is left to beat.
 */
export function raw(enableAutoPipelining: boolean): Subject {
  let clients: RawClient[] = [];
  return {
    name: enableAutoPipelining ? "raw-autopipelined" : "raw",
    sends: ["set", "eval", "evalsha"],
    open: async (urls) => {
      clients = (await openClients(urls, { enableAutoPipelining })) as RawClient[];
      for (const client of clients) {
        client.defineCommand("compareAndDelete", { numberOfKeys: 1, lua: COMPARE_AND_DELETE });
      }
    },
    cycle: async (name) => {
      const key = `lock:${name}`;
      const value = randomUUID();
      const grants = clients.map((client) => client.set(key, value, "PX", TTL_MS, "NX"));
      await untilQuorum(grants, (answer) => answer === "OK");
      const releases = clients.map((client) => client.compareAndDelete(key, value));
      await untilQuorum(releases, (answer) => answer === 1);
    },
    close: async () => closeClients(clients),
  };
}
