// npm run pictures: draws the pictures of the docs and of the site's home, and writes what they say into the pages.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const USAGE = `npm run pictures

Draws the pictures of the docs and of the site, from runs of the simulator and from tables of the sources.`;

/** The page with the words of each picture that it shows. */
export function withAlt(page, text, pictures) {
  return text.replaceAll(/!\[[^\]]*\]\(([^)\s]+)\)/g, (whole, target) => {
    const file = posix.join(posix.dirname(page), target);
    const shown = pictures.find((picture) => picture.file === file);
    return shown === undefined ? whole : `![${shown.alt}](${target})`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  parseArguments(USAGE);
  ensurePackages();
  embedLua();
  const all = await draw();
  for (const { file, svg } of all) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), svg);
    console.log(file);
  }
  for (const page of pages()) {
    const text = readFileSync(join(root, page), "utf8");
    const updated = withAlt(page, text, all);
    if (updated !== text) writeFileSync(join(root, page), updated);
  }
}

function pages() {
  const docs = readdirSync(join(root, "docs"), { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join("docs", name));
  return ["README.md", ...docs];
}

async function draw() {
  const { build } = await import("esbuild");
  const outfile = join(root, ".tmp", "pictures.mjs");
  const entryPoints = [join(root, "pictures", "index.ts")];
  const format = { bundle: true, platform: "node", format: "esm", packages: "external" };
  await build({ entryPoints, outfile, ...format, logLevel: "warning" });
  const { pictures } = await import(pathToFileURL(outfile).href);
  return pictures();
}
