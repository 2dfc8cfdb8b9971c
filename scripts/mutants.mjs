// npm run mutants: plants known bugs into the code, and says who notices. See docs/internals/mutants.md.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "./compile.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

ensurePackages();
// Some bugs must be noticed by tests that need a server.
await ensureRedis();
if (!compile(root, "tsconfig.json")) process.exit(1);
const main = join(root, "build", "test", "mutants", "main.js");
const args = [main, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
