// npm run chaos: compiles the campaigns and runs one. Arguments after -- go to it, see
// chaos/arguments.ts.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";

const HARNESS_FAILED = 3;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// One a run: a campaign starts clients until its end, and another one must not pull them away.
const output = join(root, ".tmp", "chaos", String(process.pid));
process.on("exit", () => rmSync(output, { recursive: true, force: true }));

ensurePackages();
await ensureRedis();
compile();
const main = join(output, "chaos", "main.js");
const child = spawn(process.execPath, ["--enable-source-maps", main, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
// Ctrl-C reaches the child too; it cleans up, and then this process ends with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => {
  process.exitCode = code ?? HARNESS_FAILED;
});

function compile() {
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const args = ["-p", "chaos/tsconfig.json", "--outDir", output];
  const result = spawnSync(tsc, args, { cwd: root, stdio: "inherit" });
  if (result.status === 0) return;
  console.error("the sources do not compile");
  process.exit(HARNESS_FAILED);
}
