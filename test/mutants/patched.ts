import type { Patch } from "./mutant.js";

/** @throws Error if the text to change is not there exactly once. */
export function patched(source: string, { file, find, replace }: Patch): string {
  const count = source.split(find).length - 1;
  if (count !== 1) {
    throw new Error(`the mutant no longer fits: found ${count} times in ${file}: ${find}`);
  }
  return source.replace(find, () => replace);
}
