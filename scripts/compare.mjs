// npm run compare: compiles the comparison and runs it. Arguments after -- go to it, see
// bench/compare/arguments.ts.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Not in build/: tests that are compiled meanwhile would pull it away from under a run.
const output = join(root, ".tmp", "compare");

ensurePackages();
await ensureRedis();
compile();
const child = spawn(
  process.execPath,
  [join(output, "bench", "compare", "main.js"), ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
  },
);
// Ctrl-C reaches the child too; it stops its servers, and then this process ends with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});

function compile() {
  rmSync(output, { recursive: true, force: true });
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const result = spawnSync(tsc, ["-p", "bench/compare/tsconfig.json"], {
    cwd: root,
    stdio: "inherit",
  });
  if (result.status === 0) return;
  console.error("the sources do not compile");
  process.exit(1);
}
