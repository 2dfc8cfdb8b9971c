// Compiles the simulator and resolves to its commands. It needs no Redis.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compile } from "./compile.mjs";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Not in build/: compiling the tests in the meantime would delete files that a run uses.
const output = join(root, ".tmp", "simulate");
const stamp = join(output, "compiled");

export async function simulator() {
  ensurePackages();
  embedLua();
  if (!isFresh()) renew();
  return import(pathToFileURL(join(output, "sim", "cli", "index.js")).href);
}

/** A campaign may be running, so unchanged files are not rewritten. */
function isFresh() {
  if (!existsSync(stamp)) return false;
  const compiledMs = statSync(stamp).mtimeMs;
  const sources = ["src", "sim"].flatMap((folder) => {
    return readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path));
  });
  return sources.every((path) => statSync(join(root, path)).mtimeMs < compiledMs);
}

function renew() {
  const startedMs = Date.now();
  if (!compile(root, join("sim", "cli", "tsconfig.json"))) process.exit(3);
  mkdirSync(output, { recursive: true });
  writeFileSync(stamp, `${startedMs}\n`);
}
