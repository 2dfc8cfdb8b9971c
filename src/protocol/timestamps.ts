/** In which unit a key says when its lock ends: milliseconds or seconds since 1970. */
export const TIMESTAMP_LAYOUTS = ["timestamp", "timestamp-seconds"] as const;

export type TimestampLayout = (typeof TIMESTAMP_LAYOUTS)[number];

/**
 * What a key of ours says beyond the end of its lock, and what is added to what another's says, ms:
 * those who read each other's timestamps have clocks of their own.
 */
export const TIMESTAMP_MARGIN_MS = 1_000;

/** From here on it is a date, in seconds (1973), in milliseconds (1973), and too far away (33658). */
export const FIRST_SECONDS = 1e8;
export const FIRST_MS = 1e11;
export const END_MS = 1e15;

/** In which layout a text is a timestamp, if it is one. */
export function timestampLayoutOf(text: string): TimestampLayout | undefined {
  const value = /^\d+\.?\d*$/.test(text) ? Number(text) : 0;
  if (value < FIRST_SECONDS || value >= END_MS) return undefined;
  return value < FIRST_MS ? "timestamp-seconds" : "timestamp";
}
