import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compiled } from "./in-lua.js";
import { patchesOf, type Mutant, type Patch } from "./mutant.js";
import { patched } from "./patched.js";

/** Address of the build that the simulator and the mutants run. */
export const BUILD = new URL("../../", import.meta.url).href;

/** What is run of it, by a mutant as well. */
export const ENTRY = "sim/index.js";

const FOLDER = new URL("catalog/", import.meta.url);

/** All mutants, by the names of their files. */
export async function loadCatalog(): Promise<readonly Mutant[]> {
  const files = readdirSync(fileURLToPath(FOLDER)).filter((name) => name.endsWith(".js"));
  return Promise.all(
    files.toSorted().map(async (name) => {
      const { mutant } = (await import(new URL(name, FOLDER).href)) as { mutant: Mutant };
      if (`${mutant.id}.js` !== name) throw new Error(`${name} has the mutant ${mutant.id}`);
      return mutant;
    }),
  );
}

/** @throws Error if one of its changes does not fit the compiled sources any more. */
export function checkFit(mutant: Mutant): void {
  const patches = compiled(patchesOf(mutant));
  for (const file of new Set(patches.map((patch) => patch.file))) {
    const source = readFileSync(fileURLToPath(new URL(file, BUILD)), "utf8");
    const ours = patches.filter((patch) => patch.file === file);
    ours.reduce((text: string, patch: Patch) => patched(text, patch), source);
  }
}
