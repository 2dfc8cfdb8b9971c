// npm run site: builds the documentation as a site in site/dist, from the same Markdown as on GitHub. Its packages
// are those of site/, separate from the library's.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stage } from "../site/stage.mjs";
import { deadLinksIn } from "./check-links.mjs";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const USAGE = `npm run site [-- --base PATH --campaign FILE --serve --port N]

Builds the site in site/dist, for any server of static files, and checks its links.

  --base PATH      the path of the site on its server, such as /quorate/ (default /)
  --campaign FILE  the report of a fault campaign to include (default: the latest in chaos-results/, if any)
  --serve          serves the site after building it
  --port N         with --serve: the port (default 4173)`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "site");
const pages = join(site, ".pages");
const out = join(site, "dist");

const given = parseArguments(USAGE, {
  base: { type: "string", default: "/" },
  campaign: { type: "string", default: latestCampaign() },
  serve: { type: "boolean", default: false },
  port: { type: "string", default: "4173" },
});
const base = `/${given.base.replaceAll(/^\/|\/$/g, "")}/`.replace("//", "/");

const env = { ...process.env, QUORATE_SITE_BASE: base };

ensurePackages();
ensurePackages(site);
embedLua();
stage(root, pages);
if (given.campaign !== undefined) {
  mkdirSync(join(pages, "public"), { recursive: true });
  copyFileSync(given.campaign, join(pages, "public", "campaign.html"));
}
run("typedoc", ["--options", "typedoc.json", ...entryPoints()]);
run("vitepress", ["build"]);
run(process.execPath, [join(root, "scripts", "playground.mjs")]);

const dead = deadLinksIn(out, base);
if (dead.length > 0) {
  console.error(`dead links:\n  ${dead.join("\n  ")}`);
  process.exit(1);
}
console.log(
  `${out}: ${countPages()} pages, no dead link. Any server of static files can serve it.`,
);
if (given.serve) {
  const args = ["preview", "--port", given.port];
  spawn(join(site, "node_modules", ".bin", "vitepress"), args, {
    cwd: site,
    stdio: "inherit",
    env,
  });
}

/** Sources of everything that package.json exports. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.values(exports)
    .map((entry) => entry.types)
    .filter((file) => file !== undefined)
    .map((file) => join(root, file.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")));
}

function run(program, args) {
  const file = program === process.execPath ? program : join(site, "node_modules", ".bin", program);
  const { status } = spawnSync(file, args, { cwd: site, stdio: "inherit", env });
  if (status === 0) return;
  console.error(`${program} failed`);
  process.exit(status ?? 1);
}

function latestCampaign() {
  let names = [];
  try {
    names = readdirSync(join(root, "chaos-results")).filter((name) => name.endsWith(".html"));
  } catch {
    // No campaign was run here.
  }
  const files = names.map((name) => join(root, "chaos-results", name));
  return files.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

function countPages() {
  return readdirSync(out, { recursive: true }).filter((name) => name.endsWith(".html")).length;
}
