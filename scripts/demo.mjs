// npm run demo: installs packages and a Redis server if needed, compiles the demo and runs it.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const USAGE = `npm run demo

Five Redis servers crash and recover while two services share a lock. Exits with 0 if everything it shows was really
observed. Draws on a terminal; elsewhere, or with NO_COLOR, it prints lines.

  --record FILE   writes what the terminal showed: pictures/demo.json is what npm run pictures draws`;

const { record } = parseArguments(USAGE, { record: { type: "string" } });
if (record !== undefined) process.env["QUORATE_DEMO_RECORD"] = record;
ensurePackages();
await ensureRedis();
compile();
// In this process, so that signals need not be forwarded to another one.
await import(pathToFileURL(join(root, ".tmp", "demo", "examples", "demo", "main.js")).href);

/** Not into build/, which a test run may delete at any moment. */
function compile() {
  embedLua();
  console.error("compiling the demo");
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const project = join("examples", "demo", "tsconfig.json");
  const result = spawnSync(tsc, ["-p", project], { cwd: root, stdio: "inherit" });
  if (result.status === 0) return;
  console.error("the demo does not compile");
  process.exit(1);
}
