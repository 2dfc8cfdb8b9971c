// npm run pictures: draws the pictures of the docs and of the site's home, and the charts of the measurements. Writes
// what the pictures say into the pages: alt texts, and the tables that say the same.
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

/**
 * The page with its tables.
 *
 * @throws Error for a page without the marks of a table
 */
export function withTables(page, text, tables) {
  return tables
    .filter((table) => table.page === page)
    .reduce((before, { name, markdown }) => {
      const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
      const [from, to] = [before.indexOf(begin), before.indexOf(end)];
      if (from === -1 || to < from) throw new Error(`${page} has no marks ${begin} and ${end}`);
      return `${before.slice(0, from)}${begin}\n\n${markdown}\n\n${before.slice(to)}`;
    }, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  parseArguments(USAGE);
  ensurePackages();
  embedLua();
  const { charts, pictures, tables } = await compiled();
  const all = [...(await pictures()), ...charts()];
  for (const { file, svg } of all) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), svg);
    console.log(file);
  }
  for (const page of pages()) {
    const text = readFileSync(join(root, page), "utf8");
    const updated = withTables(page, withAlt(page, text, all), tables());
    if (updated !== text) writeFileSync(join(root, page), updated);
  }
}

function pages() {
  const docs = readdirSync(join(root, "docs"), { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join("docs", name));
  return ["README.md", "site/home/index.md", ...docs];
}

async function compiled() {
  const { build } = await import("esbuild");
  const outfile = join(root, ".tmp", "pictures.mjs");
  const entryPoints = [join(root, "pictures", "index.ts")];
  const format = { bundle: true, platform: "node", format: "esm", target: "node20" };
  await build({ entryPoints, outfile, ...format, packages: "external", logLevel: "warning" });
  return import(pathToFileURL(outfile).href);
}
