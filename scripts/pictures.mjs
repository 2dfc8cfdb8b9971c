// npm run pictures: draws the pictures of the docs and of the site's home, and the charts of the measurements. Writes
// what the pictures say into the pages, as alt texts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "./bundled.mjs";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const USAGE = `npm run pictures

Draws the pictures of the docs and of the site, from runs of the simulator and from tables of the sources.`;

/** The page with the words of each picture that it shows. */
export function withAlt(page, text, pictures) {
  const altOf = (target) => {
    const file = posix.join(posix.dirname(page), target);
    return pictures.find((picture) => picture.file === file)?.alt;
  };
  return text
    .replaceAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, alt, target) => {
      return `![${altOf(target) ?? alt}](${target})`;
    })
    .replaceAll(/<img src="([^"]+)" alt="([^"]*)">/g, (_, target, alt) => {
      return `<img src="${target}" alt="${altOf(target) ?? alt}">`;
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  parseArguments(USAGE);
  ensurePackages();
  embedLua();
  const { charts, pictures } = await bundled(root, "pictures");
  const all = [...(await pictures()), ...charts()];
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
  return ["README.md", "site/home/index.md", ...docs];
}
