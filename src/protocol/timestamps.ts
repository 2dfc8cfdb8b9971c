/** The unit in which a key says when its lock ends: milliseconds or seconds since 1970. */
export const TIMESTAMP_LAYOUTS = ["timestamp", "timestamp-seconds"] as const;

export type TimestampLayout = (typeof TIMESTAMP_LAYOUTS)[number];

/**
 * Added to the end in our keys and in those of others, ms: clients that read each other's timestamps have different
 * clocks.
 */
export const TIMESTAMP_MARGIN_MS = 1_000;

/** Lower bounds of a date in seconds (1973) and in milliseconds (1973), and an upper bound (33658). */
export const FIRST_SECONDS = 1e8;
export const FIRST_MS = 1e11;
export const END_MS = 1e15;

/** The layout of a timestamp; undefined if the text is not one. */
export function timestampLayoutOf(text: string): TimestampLayout | undefined {
  const value = /^\d+\.?\d*$/.test(text) ? Number(text) : 0;
  if (value < FIRST_SECONDS || value >= END_MS) return undefined;
  return value < FIRST_MS ? "timestamp-seconds" : "timestamp";
}
