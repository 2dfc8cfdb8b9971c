import { readFileSync } from "node:fs";
import type { Patch } from "./mutant.js";
import { patched } from "./patched.js";

/** Where the `.lua` files are: they are embedded into a compiled module, and not compiled themselves. */
const SOURCES = new URL("../../../", import.meta.url);
const EMBEDDER = new URL("../../../scripts/embed-lua.mjs", import.meta.url).href;

const { embedded } = (await import(EMBEDDER)) as {
  embedded: (text: string, path: string) => string;
};

/**
 * Changes of compiled modules only: those of a `.lua` file become one of the module that has it.
 * @throws Error if one of them does not fit the file any more.
 */
export function compiled(patches: readonly Patch[]): readonly Patch[] {
  const files = [...new Set(patches.map(({ file }) => file))];
  return files.flatMap((file) => {
    const ours = patches.filter((patch) => patch.file === file);
    if (!file.endsWith(".lua")) return ours;
    const text = readFileSync(new URL(file, SOURCES), "utf8");
    const changed = ours.reduce((source: string, patch: Patch) => patched(source, patch), text);
    const module = `${file.split("/", 2).join("/")}/embedded-lua.js`;
    return {
      file: module,
      find: embedded(text, inSources(file)),
      replace: embedded(changed, inSources(file)),
    };
  });
}

/** As the embedder calls it: within `src/`. */
function inSources(file: string): string {
  return file.replace(/^src\//, "");
}
