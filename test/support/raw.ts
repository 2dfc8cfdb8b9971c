import { Redis } from "ioredis";
import type { RedisServer } from "../../src/testing/index.js";

/** An ordinary client of the server, which reports each error and does nothing about it. */
export async function rawClient(server: RedisServer): Promise<Redis> {
  const redis = new Redis(server.port, "127.0.0.1", {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  redis.on("error", () => {});
  await redis.connect();
  return redis;
}

/** Runs with one raw client a server, and ends them. */
export async function withRawClients<T>(
  servers: readonly RedisServer[],
  run: (clients: readonly Redis[]) => Promise<T>,
): Promise<T> {
  const clients = await Promise.all(servers.map((server) => rawClient(server)));
  try {
    return await run(clients);
  } finally {
    for (const client of clients) client.disconnect();
  }
}
