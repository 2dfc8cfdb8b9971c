import { placeOf, type Place, type Sources } from "./places.js";
import type { Change } from "./row.js";

/**
 * The files that these changes alter, with their new texts.
 * @throws Error if one of them does not fit
 */
export function changedBy(
  changes: readonly Change[],
  sources: Sources,
): ReadonlyMap<string, string> {
  const edits = changes.map(({ replace, ...change }) => {
    const place = placeOf({ ...change, replace }, sources);
    return { place, text: inTheirNames(replace, place) };
  });
  // From the end, so that places stay what they are.
  edits.sort((a, b) => b.place.start - a.place.start);
  const changed = new Map<string, string>();
  const begins = new Map<string, number>();
  for (const { place, text } of edits) {
    const { file, start, end } = place;
    if (end > (begins.get(file) ?? Infinity)) throw new Error(`two changes overlap in ${file}`);
    begins.set(file, start);
    const whole = changed.get(file) ?? sources.text(file);
    changed.set(file, whole.slice(0, start) + text + whole.slice(end));
  }
  return changed;
}

function inTheirNames(text: string, { renamed }: Place): string {
  if (renamed.size === 0) return text;
  const names = [...renamed.keys()].map((name) => name.replaceAll(/[$.]/g, "\\$&"));
  const any = new RegExp(`(?<![\\w$#])(?:${names.join("|")})(?![\\w$])`, "g");
  return text.replaceAll(any, (name) => renamed.get(name) ?? name);
}
