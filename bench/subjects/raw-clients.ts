import type { Redis } from "ioredis";
import { openClients } from "./clients.js";
import { COMPARE_AND_DELETE } from "./compare-and-delete.js";

export type RawClient = Redis & {
  compareAndDelete(key: string, value: string): Promise<number>;
};

/** Clients of ioredis that can release a lock, for the locks that people write by hand. */
export async function openRawClients(
  urls: readonly string[],
  options: Parameters<typeof openClients>[1],
): Promise<RawClient[]> {
  const clients = (await openClients(urls, options)) as RawClient[];
  for (const client of clients) {
    client.defineCommand("compareAndDelete", { numberOfKeys: 1, lua: COMPARE_AND_DELETE });
  }
  return clients;
}
