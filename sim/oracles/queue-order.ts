/** A place in the queue of a node. */
export interface Ordered {
  readonly ticket: number;
  /** What is wanted, and for how long a free name is reserved. */
  readonly mark: string;
}

/**
 * Whether one place is ahead of another on a node, as a number for sorting: by ticket, and of equal tickets by the text
 * of the place, which begins with its mark. 0 where its inbox decides, which no history knows: then both want the same.
 */
export function queueOrder(one: Ordered, other: Ordered): number {
  const [text, otherText] = [`${one.mark}:`, `${other.mark}:`];
  if (one.ticket !== other.ticket) return one.ticket - other.ticket;
  return text < otherText ? -1 : text > otherText ? 1 : 0;
}
