// npm run mutants: plants known bugs into the code, and says who notices. See docs/internals/mutants.md.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

ensurePackages();
// Some bugs must be noticed by tests that need a server.
await ensureRedis();
embedLua();
run(join(root, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.json"]);
run(process.execPath, [
  join(root, "build", "test", "mutants", "main.js"),
  ...process.argv.slice(2),
]);

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
