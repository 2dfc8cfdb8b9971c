import { BATCH_SCRIPT } from "../../../src/script/batch-script.js";

/**
 * The script that ships, with bugs planted into it; each text to change must be there exactly once. What it requires by
 * name is there by number.
 */
export function planted(...bugs: readonly (readonly [find: string, replace: string])[]): string {
  return bugs.reduce((script, [find, replace]) => {
    const [before, after, ...more] = script.split(patternOf(find));
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`not there exactly once: ${find}`);
    return before + replace + after;
  }, BATCH_SCRIPT);
}

function patternOf(text: string): RegExp {
  const parts = text.split(/require\('[\w.]+'\)/);
  const escaped = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(escaped.join(String.raw`require\(\d+\)`));
}

/** An acquire that takes the key whatever stands there. */
export const TAKING: readonly [string, string] = [
  "ARGV[a_of + 0], 'NX', 'PX', ttl)",
  "ARGV[a_of + 0], 'PX', ttl)",
];
