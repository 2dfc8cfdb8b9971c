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
    const [next, keys] = portionOf(await within(step, stepMs));
    yield keys;
    cursor = next;
  } while (cursor !== "0");
}

/** @throws Error for what no Redis server replies: a cursor that is none would never come to the end */
function portionOf(reply: unknown): readonly [cursor: string, keys: readonly string[]] {
  const [cursor, keys]: unknown[] = Array.isArray(reply) ? reply : [];
  const isCursor = typeof cursor === "string" && /^\d+$/.test(cursor);
  if (isCursor && Array.isArray(keys) && keys.every((key) => typeof key === "string")) {
    return [cursor, keys];
  }
  throw new Error("SCAN is not answered as by a Redis server");
}
