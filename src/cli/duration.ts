/** Milliseconds of each unit that a duration may be given in. */
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** What a duration looks like, for messages and help. */
export const DURATION_FORMS = "250ms, 10s, 2m, 1h or a number of seconds";

/**
 * A duration as in `flock`, `timeout` and `sleep`: a bare number is seconds, and may have a fraction.
 *
 * @returns whole milliseconds; undefined if it is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)?$/.exec(text);
  if (match === null) return undefined;
  const unit = (match[2] ?? "s") as keyof typeof UNIT_MS;
  const ms = Math.round(Number(match[1]) * UNIT_MS[unit]);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** A duration as text: `850 ms`, `12.3 s`, `4 m 5 s`, `2 h 3 m`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)} ms`;
  if (ms < UNIT_MS.m) return `${(ms / 1_000).toFixed(1)} s`;
  const [unit, part, large, small] =
    ms < UNIT_MS.h ? [UNIT_MS.m, UNIT_MS.s, "m", "s"] : [UNIT_MS.h, UNIT_MS.m, "h", "m"];
  const rest = Math.floor((ms % unit) / part);
  return `${Math.floor(ms / unit)} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}
