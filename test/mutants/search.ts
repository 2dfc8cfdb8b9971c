import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadCatalog } from "./catalog.js";
import type { Kill } from "./mutant.js";
import { resultsPage } from "./results-page.js";
import { runMutants, type Result } from "./run-mutants.js";

/**
 * Searches all seeds of every mutant (or of those named) anew, pins what it finds in the mutants'
 * sources, and writes the page of them all. With `--page` it only writes the page.
 */

const ROOT = new URL("../../../", import.meta.url);
const PAGE = fileURLToPath(new URL("docs/mutants.md", ROOT));

const named = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
const catalog = await loadCatalog();
const isPageOnly = process.argv.includes("--page");
const chosen = catalog.filter(
  ({ id }) => !isPageOnly && (named.length === 0 || named.includes(id)),
);

const pins = new Map(catalog.map((mutant) => [mutant, mutant.killedBy]));

await runMutants(
  chosen,
  (mutant) => [{ mutant, isSearch: true }],
  (mutant, result) => {
    console.log(`${mutant.id}: ${inWords(result)}`);
    if ("error" in result) return;
    pins.set(mutant, result.kill);
    pin(mutant.id, result.kill);
  },
);
writeFileSync(PAGE, resultsPage(pins));

function inWords(result: Result): string {
  if ("error" in result) return `ERROR ${result.error}`;
  const { kill, runCount, fired, notes } = result;
  const also = notes.length > 0 ? ` (${notes.join(", ")})` : "";
  if (kill === undefined) return `SURVIVES ${runCount} runs${also}`;
  return `killed by ${fired.join(", ")} in run ${runCount}: ${JSON.stringify(kill)}${also}`;
}

/** Replaces the pin in the mutant's source, or takes it out. */
function pin(id: string, kill: Kill | undefined): void {
  const path = fileURLToPath(new URL(`test/mutants/catalog/${id}.ts`, ROOT));
  const bare = readFileSync(path, "utf8").replace(/\n {2}killedBy: \{[^}]*\},/, "");
  const waitQueue =
    kill === undefined ? "" : `  killedBy: { where: ${kill.where}, seed: ${kill.seed} },\n`;
  writeFileSync(path, bare.replace(/\};\n$/, `${waitQueue}};\n`));
}
