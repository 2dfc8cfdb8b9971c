import { BATCH_SCRIPT } from "../../../src/script/batch-script.js";

/** The script that ships, with bugs planted into it; each text to change must be there exactly once. */
export function planted(...bugs: readonly (readonly [find: string, replace: string])[]): string {
  return bugs.reduce((script, [find, replace]) => {
    if (script.split(find).length !== 2) throw new Error(`not there exactly once: ${find}`);
    return script.replace(find, () => replace);
  }, BATCH_SCRIPT);
}

/** An acquire that takes the key whatever stands there. */
export const TAKING: readonly [string, string] = [
  "ARGV[a_of + 0], 'NX', 'PX', ttl)",
  "ARGV[a_of + 0], 'PX', ttl)",
];
