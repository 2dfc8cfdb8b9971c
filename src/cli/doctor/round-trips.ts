import { setTimeout as sleep } from "node:timers/promises";
import { clockOffset, type ClockOffset } from "../../protocol/clock-offset.js";
import type { Redis } from "../../redis/plain-client.js";
import type { ClockRate } from "./seen.js";

/** How often each node is asked for its time. */
const ROUND_TRIPS = 10;

/** How long a node's clock is watched, ms. */
const RATE_MS = 100;

interface TimedTrip extends ClockOffset {
  readonly roundTripMs: number;
}

/** One after another. With TIME, which locks need anyway: PING would need another permission. */
export async function roundTrips(
  redis: Redis,
  ask: <T>(reply: Promise<T>) => Promise<T>,
): Promise<readonly TimedTrip[]> {
  const trips: TimedTrip[] = [];
  for (let count = 0; count < ROUND_TRIPS; count++) {
    const fromMs = performance.now();
    const reply: unknown = await ask(redis.time());
    const roundTripMs = performance.now() - fromMs;
    const nodeMs = timeMs(reply);
    trips.push({ ...clockOffset(nodeMs, Date.now(), roundTripMs), roundTripMs });
  }
  return trips;
}

/** @throws Error for what no Redis server replies: other nodes' clocks are judged by this one, too */
function timeMs(reply: unknown): number {
  const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : [];
  const atMs = Math.floor(((seconds ?? Number.NaN) * 1_000_000 + (micros ?? Number.NaN)) / 1_000);
  if (Number.isSafeInteger(atMs)) return atMs;
  throw new Error("TIME is not answered as by a Redis server");
}

export function bestOf(trips: readonly TimedTrip[]): ClockOffset | undefined {
  const best = trips.toSorted((a, b) => a.errorMs - b.errorMs)[0];
  return best && { offsetMs: best.offsetMs, errorMs: best.errorMs };
}

/** How fast its clock runs. */
export async function rateOf(
  redis: Redis,
  ask: <T>(reply: Promise<T>) => Promise<T>,
): Promise<ClockRate> {
  const read = async (): Promise<{ nodeMs: number; fromMs: number; toMs: number }> => {
    const fromMs = performance.now();
    const nodeMs = timeMs(await ask(redis.time()));
    return { nodeMs, fromMs, toMs: performance.now() };
  };
  const first = await read();
  await sleep(RATE_MS);
  const last = await read();
  return {
    advancedMs: last.nodeMs - first.nodeMs,
    elapsedMs: last.fromMs - first.fromMs,
    // Of both round trips, and since the node reports whole ms.
    errorMs: first.toMs - first.fromMs + last.toMs - last.fromMs + 1,
  };
}
