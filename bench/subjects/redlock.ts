import type { Redis } from "ioredis";
import Redlock from "redlock";
import { closeClients, openClients } from "./clients.js";
import { TTL_MS, type Subject } from "./subject.js";

/** The package `redlock` with clients and settings at their defaults. */
export function redlock(): Subject {
  let clients: Redis[] = [];
  let locks: Redlock | undefined;
  return {
    name: "redlock",
    sends: ["eval", "evalsha"],
    open: async (urls) => {
      clients = await openClients(urls);
      locks = new Redlock(clients);
    },
    cycle: async (name) => {
      const lock = await locks?.acquire([`lock:${name}`], TTL_MS);
      await lock?.release();
    },
    close: async () => closeClients(clients),
  };
}
