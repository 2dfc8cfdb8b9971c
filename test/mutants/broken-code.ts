import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { affectedBy, importersIn } from "./affected.js";
import { changedBy } from "./changed.js";
import { readSources } from "./places.js";
import { barriersOf, changesOf, isTested, withoutOnly, type Change, type Row } from "./row.js";

/** The repository: this file is compiled to `build/test/mutants/`. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Address of the build, of which the broken code uses what it does not change. */
export const BUILD = new URL("../../", import.meta.url).href;

/** What is run of it. */
export const ENTRY = "sim/index.js";

/** As `tsc` does it. */
const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };

const EMBEDDER = new URL("../../../scripts/embed-lua.mjs", import.meta.url).href;

/** Where the module hooks find the modules of each mutant. */
export interface BrokenCode {
  /** Address of the build, with a slash at the end. */
  readonly root: string;
  /** `<folder>/<mutant>/<file of the build>` is a module that a change altered. */
  readonly folder: string;
  readonly changed: Readonly<Record<string, readonly string[]>>;
  /** Files of the build of which each mutant needs copies. */
  readonly affected: Readonly<Record<string, readonly string[]>>;
}

/** Which of these rows do not fit the sources, and why. */
export function misfits(rows: readonly Row[]): readonly string[] {
  const sources = readSources(ROOT);
  return rows.flatMap((row) => {
    try {
      changedBy(changesOf(row), sources);
      return [];
    } catch (error) {
      return [`${row.id}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

/**
 * Breaks the sources as these rows say, and compiles what changed. Those that do not fit are left out.
 * The caller removes the folder.
 */
export async function breakCode(rows: readonly Row[]): Promise<BrokenCode> {
  const sources = readSources(ROOT);
  const folder = mkdtempSync(join(tmpdir(), "quorate-mutants-"));
  const changed: Record<string, readonly string[]> = {};
  const affected: Record<string, readonly string[]> = {};
  const importersFrom = importersOfEach();
  const one = async (id: string, row: Row, changes: readonly Change[]): Promise<void> => {
    let texts: ReadonlyMap<string, string>;
    try {
      texts = changedBy(changes, sources);
    } catch {
      return;
    }
    const modules = await compiled(texts);
    for (const [file, code] of modules) write(join(folder, id, file), code);
    changed[id] = [...modules.keys()];
    affected[id] = affectedBy(modules.keys(), importersFrom(entryOf(row)));
  };
  try {
    await Promise.all(
      rows.flatMap((row) => [
        one(row.id, row, changesOf(row)),
        ...barriersOf(row).map((each) => one(withoutOnly(row, each), row, each.changes)),
      ]),
    );
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return { root: BUILD, folder, changed, affected };
}

/** The file of the build that is loaded to see whether somebody notices. */
export function entryOf(row: Row): string {
  return isTested(row) ? row.test.replace(/\.ts$/, ".js") : ENTRY;
}

function importersOfEach(): (entry: string) => ReturnType<typeof importersIn> {
  const known = new Map<string, ReturnType<typeof importersIn>>();
  return (entry) => {
    const importers = known.get(entry) ?? importersIn(BUILD, entry);
    known.set(entry, importers);
    return importers;
  };
}

/** Modules of the build, by their paths: TypeScript on its own, Lua within the module that embeds it. */
export async function compiled(
  texts: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const lua = new Map([...texts].filter(([file]) => file.endsWith(".lua")));
  const modules = [...texts].filter(([file]) => file.endsWith(".ts"));
  if (lua.size > 0) modules.push(...(await embeddedModules(lua)));
  const all = modules.map(async ([file, text]) => {
    const { code } = await transform(text, { loader: "ts", target: "es2023", tsconfigRaw });
    return [file.replace(/\.ts$/, ".js"), code] as const;
  });
  return new Map(await Promise.all(all));
}

async function embeddedModules(lua: ReadonlyMap<string, string>): Promise<[string, string][]> {
  const { embeddedModules: embed } = (await import(EMBEDDER)) as {
    embeddedModules: (changed?: ReadonlyMap<string, string>) => Map<string, string>;
  };
  const unchanged = embed();
  return [...embed(lua)].filter(([file, text]) => unchanged.get(file) !== text);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
