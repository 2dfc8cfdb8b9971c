import { within } from "../../src/runtime/within.js";
import { Redis } from "ioredis";
import * as peer from "redlock";
import * as ours from "../../src/integrations/redlock/index.js";
import type { RedisServer } from "../../src/testing/index.js";

/** What both have: the package `redlock`, and what takes its place. */
export type RedlockModule = typeof ours;
export type RedlockOf = InstanceType<RedlockModule["default"]>;

// The package's own declarations cannot be resolved from an ES module.
const theirs = peer as unknown as RedlockModule;

export const REDLOCKS: Readonly<Record<"redlock" | "quorate", RedlockModule>> = {
  redlock: theirs,
  quorate: ours,
};

/** Clients as programs have them, which connect by themselves. */
export function clientsOf(
  servers: readonly Pick<RedisServer, "url">[],
  options: object = {},
): Redis[] {
  return servers.map(({ url }) => {
    const client = new Redis(url, options);
    client.on("error", () => {});
    return client;
  });
}

/** Runs with clients of its own, and closes them when what they sent has been answered: a release may still be on its way. */
export async function withClients<T>(
  servers: readonly Pick<RedisServer, "url">[],
  run: (clients: Redis[]) => Promise<T>,
  options?: object,
): Promise<T> {
  const clients = clientsOf(servers, options);
  try {
    return await run(clients);
  } finally {
    await Promise.all(clients.map(end));
  }
}

async function end(client: Redis): Promise<void> {
  if (client.status === "ready") await within(client.quit(), 1_000).catch(() => {});
  client.disconnect();
}

/** How an error looks to who catches it. */
export function shownError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** What a promise comes to: its value, its error in words, or that nothing came of it in time. */
export async function outcomeOf(promise: Promise<unknown>, limitMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`nothing in ${limitMs} ms`), limitMs);
  });
  try {
    return await Promise.race([promise.catch(shownError), limit]);
  } finally {
    clearTimeout(timer);
  }
}
