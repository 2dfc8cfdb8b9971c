// npm run build: builds what is published. Types are copied as they are. Code is bundled into one file per entry,
// plus chunks that entries share, because Node takes longer to find and link two hundred small modules than to run
// them: each file costs about a millisecond.
//
// --out DIR: writes there instead of to dist/.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleCli } from "./bundle-cli.mjs";
import { compile } from "./compile.mjs";
import { ensurePackages } from "./ensure-packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const out = resolve(values.out);

/** Programs that the package starts as separate processes. */
const PROGRAMS = ["testing/container-watchdog"];

ensurePackages();
rmSync(out, { recursive: true, force: true });
declareTypes();
await bundle();
await bundleCli(join(out, "cli"));

function declareTypes() {
  if (!compile(root, "tsconfig.build.json", out)) process.exit(1);
  removeUnreachedTypes();
}

/** Removes types that no entry leads to: nobody can use them. */
function removeUnreachedTypes() {
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/["'](\.{1,2}\/[^"']+)\.js["']/g)) {
      reach(resolve(dirname(file), `${path}.d.ts`));
    }
  };
  for (const entry of publishedEntries()) reach(join(out, `${entry}.d.ts`));
  for (const name of readdirSync(out, { recursive: true })) {
    const file = join(out, name);
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
}

async function bundle() {
  // Imported here because it is one of the packages that may have been missing.
  const { build } = await import("esbuild");
  const entries = [...publishedEntries(), ...PROGRAMS];
  const options = {
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, join("src", `${entry}.ts`)])),
    outdir: out,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  };
  const { metafile } = await build({ ...options, write: false, metafile: true });
  await build({
    ...options,
    plugins: [inOneChunk(sharedModules(metafile))],
    // The plugin's imports have no other effect.
    logOverride: { "ignored-bare-import": "silent" },
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    target: "node20",
    // Keeps names readable in stack traces.
    keepNames: true,
    logLevel: "warning",
  });
}

/** The modules of the main entry that entries without a quorum use too. */
function sharedModules({ outputs }) {
  const entries = Object.values(outputs).map(({ inputs }) => Object.keys(inputs));
  const [whole, parts] = [true, false].map((isWhole) =>
    entries.filter((inputs) => inputs.includes(join("src", "nodes", "open-quorum.ts")) === isWhole),
  );
  const used = new Set(parts.flat());
  return whole[0].filter((path) => used.has(path));
}

/**
 * A module goes into the chunk of the entries that reach it, so small modules, shared by different entries, would be
 * chunks of their own. Here each entry reaches all of these modules.
 */
function inOneChunk(modules) {
  const imports = modules.map((path) => `import ${JSON.stringify(join(root, path))};`).join("\n");
  return {
    name: "in-one-chunk",
    setup({ onLoad, initialOptions: { entryPoints } }) {
      const entries = Object.values(entryPoints).map((path) => join(root, path));
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!entries.includes(path)) return undefined;
        return { loader: "ts", contents: `${readFileSync(path, "utf8")}\n${imports}` };
      });
    },
  };
}

/** From the exports of package.json, relative to src, without file extension. */
function publishedEntries() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.values(exports)
    .map((entry) => entry.default)
    .filter((file) => file !== undefined)
    .map((file) => relative("dist", file).replace(/\.js$/, ""));
}
