import { turnTextOf } from "../protocol/waiter.js";
import type { Place } from "../protocol/place.js";

/**
 * What places of a refresh have in common: for how long a name is reserved, and what stands around a lock key
 * to make the key of its queue, and, of a semaphore, that of its members; and how many permits there are.
 */
type PlaceHead = readonly string[];

/** How many arguments stand before the places of a group: how many they are, their tickets, and the head. */
const GROUP_ARGUMENTS = 8;

/** How many keys and arguments the places of a refresh bring: lock keys, how many groups there are, and these. */
export function countsOfPlaces(places: readonly Place[]): { keys: number; arguments: number } {
  let groupCount = 0;
  for (let from = 0; from < places.length; from = groupEnd(places, from)) groupCount++;
  return { keys: places.length, arguments: 1 + GROUP_ARGUMENTS * groupCount };
}

/** The lock keys: all else can be told of many at once. */
export function keysOfPlaces(places: readonly Place[]): string[] {
  return places.map(({ keys }) => keys.lockKey);
}

/** Group by group. */
export function argumentsOfPlaces(places: readonly Place[]): string[] {
  const encoded = [""];
  let groupCount = 0;
  for (let from = 0; from < places.length; groupCount++) {
    const end = groupEnd(places, from);
    const head = headOf(places[from] as Place);
    encoded.push(String(end - from), ticketsOf(places, from, end), ...head);
    from = end;
  }
  encoded[0] = String(groupCount);
  return encoded;
}

/** Where the first one stands behind it that has another head. */
function groupEnd(places: readonly Place[], from: number): number {
  const head = headOf(places[from] as Place);
  let end = from + 1;
  while (end < places.length && isSame(headOf(places[end] as Place), head)) end++;
  return end;
}

/** Most have the same: then it is one object, which is compared at once. */
let latest: PlaceHead = [];

function headOf(place: Place): PlaceHead {
  if (place.head !== undefined) return place.head;
  const head = makeHead(place);
  if (!isSame(head, latest)) latest = head;
  place.head = latest;
  return latest;
}

function makeHead({ keys: { lockKey, queueKey, placeKeys, placeArgs }, waiter }: Place): PlaceHead {
  const [membersKey] = placeKeys;
  const [permits = ""] = placeArgs;
  const members = membersKey === undefined ? ["", ""] : around(lockKey, membersKey);
  return [turnTextOf(waiter), ...around(lockKey, queueKey), ...members, permits];
}

function around(lockKey: string, key: string): [before: string, after: string] {
  const at = key.lastIndexOf(lockKey);
  return [key.slice(0, at), key.slice(at + lockKey.length)];
}

function isSame(one: PlaceHead, other: PlaceHead): boolean {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** The first, and how much later than that each of the others is: a few digits where it would be sixteen. */
function ticketsOf(places: readonly Place[], from: number, end: number): string {
  const first = (places[from] as Place).waiter.ticket;
  let text = String(first);
  for (let at = from + 1; at < end; at++) {
    text += `,${(places[at] as Place).waiter.ticket - first}`;
  }
  return text;
}
