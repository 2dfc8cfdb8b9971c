import { setTimeout as sleep } from "node:timers/promises";
import { clockOffset, type ClockOffset } from "../../protocol/clock-offset.js";
import type { Redis } from "../../redis/plain-client.js";
import type { ClockRate } from "./seen.js";

/** How often each node is asked for its time. */
const ROUND_TRIPS = 10;

/** How long a node's clock is watched, ms; and how often it is read at the beginning and at the end. */
const RATE_MS = 100;
const READINGS = 5;

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
    const { nodeMs, roundTripMs } = await readClock(redis, ask);
    trips.push({ ...clockOffset(nodeMs, Date.now(), roundTripMs), roundTripMs });
  }
  return trips;
}

interface Reading {
  readonly nodeMs: number;
  /** By this machine, in the middle of the round trip. */
  readonly atMs: number;
  readonly roundTripMs: number;
}

async function readClock(
  redis: Redis,
  ask: <T>(reply: Promise<T>) => Promise<T>,
): Promise<Reading> {
  const fromMs = performance.now();
  const reply: unknown = await ask(redis.time());
  const roundTripMs = performance.now() - fromMs;
  return { nodeMs: timeMs(reply), atMs: fromMs + roundTripMs / 2, roundTripMs };
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

/** How fast its clock runs. Of several readings each, the one with the shortest round trip is the least uncertain. */
export async function rateOf(
  redis: Redis,
  ask: <T>(reply: Promise<T>) => Promise<T>,
): Promise<ClockRate> {
  const read = async (): Promise<Reading> => {
    let best = await readClock(redis, ask);
    for (let count = 1; count < READINGS; count++) {
      const reading = await readClock(redis, ask);
      if (reading.roundTripMs < best.roundTripMs) best = reading;
    }
    return best;
  };
  const first = await read();
  await sleep(RATE_MS);
  const last = await read();
  return {
    advancedMs: last.nodeMs - first.nodeMs,
    elapsedMs: last.atMs - first.atMs,
    // Of both round trips, and since the node reports whole ms.
    errorMs: (first.roundTripMs + last.roundTripMs) / 2 + 1,
  };
}
