import type { PlacePrefix } from "./lock-kind.js";

/** A process in a name's queue. */
export interface Waiter {
  /** Of the process: names the channel on which it is woken. */
  readonly inbox: string;
  /** Its place, the same on every node: when its wait began, microseconds since 1970. */
  readonly ticket: number;
  /** For how long a node keeps the name for it once it is its turn, ms. */
  readonly turnMs: number;
  /** What it waits for; undefined for a name as a whole. */
  readonly placePrefix?: PlacePrefix;
}

/** How a turn stands in the queue of a node. */
export function turnTextOf({ turnMs, placePrefix = "" }: Waiter): string {
  return `${placePrefix}${turnMs}`;
}
