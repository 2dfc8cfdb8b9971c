// npm run demo: installs packages and a Redis server if needed, compiles the demo and runs it.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compile } from "./compile.mjs";
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
console.error("compiling the demo");
// Not into build/, which a test run may delete at any moment.
if (!compile(root, join("examples", "demo", "tsconfig.json"))) process.exit(1);
// In this process, so that signals need not be forwarded to another one.
await import(pathToFileURL(join(root, ".tmp", "demo", "examples", "demo", "main.js")).href);
