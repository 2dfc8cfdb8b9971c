import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "./row.js";
import { namesAround, tokensOfPart, tokensOfSource, type Token } from "./tokens.js";

/**
 * Finds where a change belongs. Its text is compared token by token with the sources: layout, comments, types and
 * quotation marks do not matter. It may have moved to another file, as long as it is unique in all of them. If it is
 * nowhere, the one place is taken that differs from it by the fewest names: somebody has renamed them.
 */

/** Names that may have changed since the row was written. */
const MAX_RENAMED = 2;

const WORDS = /#?[A-Za-z_$][\w$]*/g;

/** Sources by their paths; their tokens are made when somebody asks. */
export class Sources {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #tokens = new Map<string, readonly Token[]>();
  readonly #words = new Map<string, ReadonlySet<string>>();

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  text(file: string): string {
    return this.#texts.get(file) ?? "";
  }

  has(file: string): boolean {
    return this.#texts.has(file);
  }

  /** All in its language. */
  filesLike(file: string): readonly string[] {
    return [...this.#texts.keys()].filter((each) => extensionOf(each) === extensionOf(file));
  }

  tokens(file: string): readonly Token[] {
    const known = this.#tokens.get(file) ?? tokensOfSource(file, this.text(file));
    this.#tokens.set(file, known);
    return known;
  }

  /** Whether it could have all of these tokens; quick, for files that have no tokens yet. */
  mayHave(file: string, tokens: readonly Token[]): boolean {
    const known = this.#words.get(file) ?? new Set(this.text(file).match(WORDS));
    this.#words.set(file, known);
    return tokens.every(({ text, isName }) => !isName || known.has(text.replace("this.", "")));
  }

  /** The same with other texts for some files. */
  with(changed: ReadonlyMap<string, string>): Sources {
    const sources = new Sources(new Map([...this.#texts, ...changed]));
    for (const file of this.#texts.keys()) {
      const [tokens, words] = [this.#tokens.get(file), this.#words.get(file)];
      if (tokens !== undefined && !changed.has(file)) sources.#tokens.set(file, tokens);
      if (words !== undefined && !changed.has(file)) sources.#words.set(file, words);
    }
    return sources;
  }

  /** The same, with another name for one in a file: quicker than to parse it again. */
  renamed(file: string, name: string, newName: string): Sources {
    const parts: string[] = [];
    let [at, by] = [0, 0];
    const tokens = this.tokens(file).map((token) => {
      const start = token.start + by;
      if (token.text !== name) return { ...token, start, end: token.end + by };
      parts.push(this.text(file).slice(at, token.start), newName);
      at = token.end;
      by += newName.length - (token.end - token.start);
      return { ...token, text: newName, start, end: token.end + by };
    });
    const sources = this.with(new Map([[file, parts.join("") + this.text(file).slice(at)]]));
    sources.#tokens.set(file, tokens);
    return sources;
  }
}

export function readSources(root: string): Sources {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.(?:ts|lua)$/.test(path) && !path.endsWith("/embedded-lua.ts"));
  return new Sources(new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")])));
}

export interface Place {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** Names of the row, and what they are called there. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** @throws Error if it is not clear where it belongs */
export function placeOf(change: Change, sources: Sources): Place {
  const { file, find, inside } = change;
  const pattern = tokensOfPart(file, find);
  if (pattern.length === 0) throw new Error(`nothing to find in ${file}`);
  const files = sources.filesLike(file);
  const here = files.filter((each) => each === file);
  for (let renamedCount = 0; renamedCount <= MAX_RENAMED; renamedCount++) {
    // A rename is looked for at home first: elsewhere, something else may look like it.
    const wide = renamedCount === 0 ? [files, here] : [here, files];
    let count = 0;
    for (const among of wide) {
      const all = among.flatMap((each) => matches(pattern, each, sources, renamedCount));
      const places = all.length > 1 && inside !== undefined ? within(inside, all, sources) : all;
      if (places.length === 1) return places[0] as Place;
      count ||= places.length;
    }
    if (count > 0) throw new Error(`found ${count} times, last seen in ${file}: ${find}`);
  }
  throw new Error(`found nowhere, last seen in ${file}: ${find}`);
}

function matches(
  pattern: readonly Token[],
  file: string,
  sources: Sources,
  renamedCount: number,
): Place[] {
  if (renamedCount === 0 && !sources.mayHave(file, pattern)) return [];
  const tokens = sources.tokens(file);
  const places: Place[] = [];
  for (let at = 0; at + pattern.length <= tokens.length; at++) {
    const renamed = renamedAt(pattern, tokens, at, renamedCount);
    if (renamed?.size !== renamedCount) continue;
    const end = (tokens[at + pattern.length - 1] as Token).end;
    places.push({ file, start: (tokens[at] as Token).start, end, renamed });
  }
  return places;
}

/** The names that differ if the pattern is here; undefined if it is not. */
function renamedAt(
  pattern: readonly Token[],
  tokens: readonly Token[],
  at: number,
  maxCount: number,
): ReadonlyMap<string, string> | undefined {
  const renamed = new Map<string, string>();
  const same = new Set<string>();
  for (const [index, { text, isName }] of pattern.entries()) {
    const found = tokens[at + index] as Token;
    if (found.text === text && !renamed.has(text)) {
      same.add(text);
      continue;
    }
    if (!isName || !found.isName || same.has(text) || same.has(found.text)) return undefined;
    if ((renamed.get(text) ?? found.text) !== found.text) return undefined;
    if (!renamed.has(text) && [...renamed.values()].includes(found.text)) return undefined;
    renamed.set(text, found.text);
    if (renamed.size > maxCount) return undefined;
  }
  return renamed;
}

function within(name: string, places: readonly Place[], sources: Sources): Place[] {
  return places.filter(({ file, start, end }) =>
    namesAround(file, sources.text(file), start, end).has(name),
  );
}

function extensionOf(file: string): string {
  return file.slice(file.lastIndexOf("."));
}
