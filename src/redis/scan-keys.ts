import { Cluster, type Redis } from "ioredis";
import { within } from "../runtime/within.js";

/** Number of keys that a server scans in one step: it takes about half a millisecond. */
const COUNT = 1_000;

/**
 * Keys of a node that match a glob pattern, in portions. Some may occur twice.
 *
 * @param stepMs how long a portion may take
 */
export async function* scanKeys(
  client: Redis | Cluster,
  pattern: string,
  stepMs: number,
): AsyncGenerator<readonly string[]> {
  if (!(client instanceof Cluster)) return yield* scanServer(client, pattern, stepMs);
  for (const member of client.nodes("master")) yield* scanServer(member, pattern, stepMs);
}

async function* scanServer(
  redis: Redis,
  pattern: string,
  stepMs: number,
): AsyncGenerator<readonly string[]> {
  let cursor = "0";
  do {
    const step = redis.scan(cursor, "MATCH", pattern, "COUNT", COUNT);
    const [next, keys] = await within(step, stepMs);
    yield keys;
    cursor = next;
  } while (cursor !== "0");
}
