import { turnTextOf } from "../protocol/waiter.js";
import type { Place } from "../protocol/place.js";

/**
 * Number of arguments of a group of places: its size, its tickets, and what they have in common: how long a name is
 * reserved and, for a semaphore, the number of permits.
 */
const GROUP_ARGUMENTS = 4;

/** Number of arguments of a refresh: the number of groups, and the groups. */
export function argumentCountOfPlaces(places: readonly Place[]): number {
  let groupCount = 0;
  for (let from = 0; from < places.length; from = groupEnd(places, from)) groupCount++;
  return 1 + GROUP_ARGUMENTS * groupCount;
}

/** Group by group. */
export function argumentsOfPlaces(places: readonly Place[]): string[] {
  const encoded = [""];
  let groupCount = 0;
  for (let from = 0; from < places.length; groupCount++) {
    const end = groupEnd(places, from);
    const { waiter, keys } = places[from] as Place;
    encoded.push(
      String(end - from),
      ticketsOf(places, from, end),
      turnTextOf(waiter),
      String(keys.permits?.count ?? ""),
    );
    from = end;
  }
  encoded[0] = String(groupCount);
  return encoded;
}

/** The index of the next place with other common values. */
function groupEnd(places: readonly Place[], from: number): number {
  const first = places[from] as Place;
  let end = from + 1;
  while (end < places.length && isAlike(places[end] as Place, first)) end++;
  return end;
}

function isAlike({ waiter, keys }: Place, { waiter: ofFirst, keys: first }: Place): boolean {
  return (
    waiter.turnMs === ofFirst.turnMs &&
    waiter.placePrefix === ofFirst.placePrefix &&
    keys.permits?.count === first.permits?.count
  );
}

/** The first ticket, and the differences of the others from it: a few digits instead of sixteen. */
function ticketsOf(places: readonly Place[], from: number, end: number): string {
  const first = (places[from] as Place).waiter.ticket;
  let text = String(first);
  for (let at = from + 1; at < end; at++) {
    text += `,${(places[at] as Place).waiter.ticket - first}`;
  }
  return text;
}
