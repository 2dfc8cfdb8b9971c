import { once } from "node:events";
import { Redis } from "ioredis";

/** One connected ioredis client per node, with its defaults except for `options`. */
export async function openClients(
  urls: readonly string[],
  options: { readonly enableAutoPipelining?: boolean } = {},
): Promise<Redis[]> {
  const clients = urls.map((url) => new Redis(url, { ...options }));
  await Promise.all(clients.map((client) => once(client, "ready")));
  return clients;
}

export function closeClients(clients: readonly Redis[]): void {
  for (const client of clients) client.disconnect();
}
