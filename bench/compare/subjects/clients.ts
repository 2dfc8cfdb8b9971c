import { once } from "node:events";
import { Redis } from "ioredis";
import type { ClientOptions } from "../client-options.js";

/** One ioredis client a node, connected. */
export async function openClients(
  urls: readonly string[],
  options: ClientOptions,
): Promise<readonly Redis[]> {
  const clients = urls.map((url) => new Redis(url, { ...options }));
  // Faults are what this is about; without a listener each would be printed.
  for (const client of clients) client.on("error", () => {});
  await Promise.all(clients.map((client) => once(client, "ready")));
  return clients;
}
