import { once } from "node:events";
import { Redis } from "ioredis";
import type { ClientOptions } from "../client-options.js";

/** One connected ioredis client per node. */
export async function openClients(
  urls: readonly string[],
  options: ClientOptions,
): Promise<readonly Redis[]> {
  const clients = urls.map((url) => new Redis(url, { ...options }));
  // Faults are intended here; without a listener, each would be printed.
  for (const client of clients) client.on("error", () => {});
  await Promise.all(clients.map((client) => once(client, "ready")));
  return clients;
}
