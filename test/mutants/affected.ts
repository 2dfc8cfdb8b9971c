import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Files of the build, relative to it, each with those that import it. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** Who imports whom, of all that is reached from a file of the build. */
export function importersIn(root: string, entry: string): Importers {
  const importers = new Map<string, Set<string>>();
  const queue = [entry];
  const seen = new Set(queue);
  for (const file of queue) {
    const address = new URL(file, root);
    for (const [, specifier = ""] of readFileSync(fileURLToPath(address), "utf8").matchAll(
      IMPORT,
    )) {
      const imported = new URL(specifier, address).href.slice(root.length);
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file));
      if (seen.has(imported)) continue;
      seen.add(imported);
      queue.push(imported);
    }
  }
  return importers;
}

/**
 * What behaves differently when these files change: they, and whatever imports them, directly or not. A mutant needs
 * copies of no others: what it shares with the unchanged code is loaded and compiled to machine code already.
 */
export function affectedBy(files: Iterable<string>, importers: Importers): readonly string[] {
  const affected = new Set(files);
  for (const file of affected) for (const each of importers.get(file) ?? []) affected.add(each);
  return [...affected];
}
