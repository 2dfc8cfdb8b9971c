// npm run site: builds the documentation as a site in site/dist, from the same Markdown as on GitHub. What the API pages
// need are packages of site/, separate from the library's.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stage } from "../site/stage.mjs";
import { deadLinksIn } from "./check-links.mjs";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";
import { playgroundPage } from "./playground.mjs";

const USAGE = `npm run site [-- --out DIR --no-api]

Builds the site, and checks its links. It works below any path of a server, and from the disk: open index.html.

  --out DIR  where (default site/dist)
  --no-api   without the pages of each export, which take a minute`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "site");
const pages = join(site, ".pages");

const given = parseArguments(USAGE, {
  out: { type: "string", default: join(site, "dist") },
  "no-api": { type: "boolean", default: false },
});
const out = resolve(given.out);

ensurePackages();
stage(root, pages);
if (given["no-api"]) rmSync(join(pages, "api"), { recursive: true, force: true });
else {
  ensurePackages(site);
  embedLua();
  run(join(site, "node_modules", ".bin", "typedoc"), [
    ...["--options", "typedoc.json"],
    ...entryPoints(),
  ]);
}
// Its packages may only now be there.
const { buildSite } = await import("../site/build.mjs");
const count = buildSite(root, pages, await playgroundPage(), out);

const dead = deadLinksIn(out).filter(
  (link) => !given["no-api"] || !/: (?:\.\.\/)*api\//.test(link),
);
if (dead.length > 0) {
  console.error(`dead links:\n  ${dead.join("\n  ")}`);
  process.exit(1);
}
console.log(
  `${count} pages, no dead link. Any server of static files can serve ${out}, and so can the disk: ${pathToFileURL(join(out, "index.html")).href}`,
);

/** Sources of everything that package.json exports. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.values(exports)
    .map((entry) => entry.types)
    .filter((file) => file !== undefined)
    .map((file) => join(root, file.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")));
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: site, stdio: "inherit" });
  if (status === 0) return;
  console.error(`${program} failed`);
  process.exit(status ?? 1);
}
