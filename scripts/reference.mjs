// npm run reference: writes the tables of the docs that are made from the sources, see pages/.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "./bundled.mjs";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

parseArguments(`npm run reference

Writes the tables of the docs that are made from the sources: options, errors, events, metrics, exports and the
command line.`);

process.chdir(root);
ensurePackages();
embedLua();
const { fillMarks, reference } = await bundled(root, "pages");
for (const [page, texts] of Object.entries(reference())) {
  const before = readFileSync(page, "utf8");
  const after = fillMarks(before, texts);
  if (after === before) continue;
  writeFileSync(page, after);
  console.log(page);
}
