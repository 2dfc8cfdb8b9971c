/**
 * Whether this is `npm run test:long`: all that `npm test` does, more of what can be repeated with other seeds, and
 * what takes a minute for one answer. `npm test` has to end within minutes.
 */
export const IS_LONG = process.env["QUORATE_LONG_TESTS"] === "1";

/** How many of something there are: few, or many in the long run. */
export function howMany(few: number, many: number): number {
  return IS_LONG ? many : few;
}
