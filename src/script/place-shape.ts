import { turnTextOf } from "../protocol/operation.js";
import type { Place } from "../protocol/place.js";
import { slotsOf } from "../protocol/slots.js";

/** How many keys and arguments the places of a refresh bring; in front of the arguments stands how many they are. */
export function countsOfPlaces(places: readonly Place[]): { keys: number; arguments: number } {
  let count = 2 * places.length;
  for (const { keys } of places) if (keys.layout?.kind === "slot") count++;
  return { keys: count, arguments: 1 + count };
}

/** Lock key and queue; of a semaphore its members. */
export function keysOfPlace({ keys: { lockKey, queueKey, layout } }: Place): string[] {
  return layout?.kind === "slot" ? [lockKey, queueKey, ...layout.keys] : [lockKey, queueKey];
}

/** Ticket and for how long a name is reserved; of a semaphore how many permits there are. */
export function argumentsOfPlace({ keys, waiter }: Place): string[] {
  const two = [String(waiter.ticket), turnTextOf(waiter)];
  const slots = slotsOf(keys);
  return slots === undefined ? two : [...two, String(slots.permits)];
}
