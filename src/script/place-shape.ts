import { turnTextOf } from "../protocol/waiter.js";
import type { Place } from "../protocol/place.js";

/** How many keys and arguments the places of a refresh bring; in front of the arguments stands how many they are. */
export function countsOfPlaces(places: readonly Place[]): { keys: number; arguments: number } {
  let [keyCount, argumentCount] = [2 * places.length, 1 + 2 * places.length];
  for (const { keys } of places) {
    keyCount += keys.placeKeys.length;
    argumentCount += keys.placeArgs.length;
  }
  return { keys: keyCount, arguments: argumentCount };
}

/** Lock key and queue; of a semaphore its members. */
export function keysOfPlace({ keys: { lockKey, queueKey, placeKeys } }: Place): string[] {
  return [lockKey, queueKey, ...placeKeys];
}

/** Ticket and for how long a name is reserved; of a semaphore how many permits there are. */
export function argumentsOfPlace({ keys, waiter }: Place): string[] {
  return [String(waiter.ticket), turnTextOf(waiter), ...keys.placeArgs];
}
