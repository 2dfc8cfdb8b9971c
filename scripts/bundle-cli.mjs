// Bundles the program `quorate` and everything it needs into one file: it starts in half the time, and needs no
// packages. Its guard and the thread that starts commands are small separate
// files, which start sooner.
//
// Standalone use: node scripts/bundle-cli.mjs --out DIR
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Bundled packages that are not ES modules load Node's own modules by `require`. */
const PROGRAM_BANNER =
  '#!/usr/bin/env node\nimport { createRequire as createRequireOfNode } from "node:module";\n' +
  "const require = createRequireOfNode(import.meta.url);";

/** Writes the program, its other files, and the licenses of the bundled packages. */
export async function bundleCli(out) {
  mkdirSync(out, { recursive: true });
  const inputs = await bundleInto("quorate.ts", join(out, "quorate.mjs"));
  for (const other of ["guard-main", "launcher-main"]) {
    await bundleInto(join("exec", `${other}.ts`), join(out, `${other}.js`));
  }
  chmodSync(join(out, "quorate.mjs"), 0o755);
  writeFileSync(join(out, "LICENSES.txt"), licensesOf(inputs));
}

async function bundleInto(entry, outfile) {
  // Imported here because it is one of the packages that may have been missing.
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join("src", "cli", entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    // An optional package of `debug`, which is here only because a tool for development needs it.
    external: ["supports-color"],
    target: "node20",
    // Names are kept: they appear in messages and stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    banner: { js: PROGRAM_BANNER },
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
}

/** The licenses of the packages whose files are in the bundle; they require to be included. */
function licensesOf(inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = Array.from(packages)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((path) => {
      const dir = join(root, path);
      const { name, version, license } = JSON.parse(
        readFileSync(join(dir, "package.json"), "utf8"),
      );
      const file = readdirSync(dir).find((each) => /^licen[sc]e/i.test(each));
      const text = file === undefined ? "" : `\n${readFileSync(join(dir, file), "utf8").trim()}\n`;
      return `${name} ${version} (${license})\n${text}`;
    });
  return `quorate.mjs contains these packages.\n\n${texts.join("\n---\n\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: "string" } } });
  await bundleCli(resolve(values.out ?? join(root, "dist", "cli")));
}
