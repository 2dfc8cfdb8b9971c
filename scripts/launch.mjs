// Compiles one of the repository's programs and runs it on real servers.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "./compile.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs `folder`'s main.ts with the arguments of this process, and exits with its exit code.
 *
 * @param folder has a main.ts and a tsconfig.json
 * @param outputName under .tmp/. Not build/: compiling the tests in the meantime would delete files that a run
 *   uses.
 * @param failedCode exit code if it does not compile, or ends without an exit code
 */
export async function launch(folder, outputName, { nodeArgs = [], failedCode = 1 } = {}) {
  const output = join(root, ".tmp", outputName);
  ensurePackages();
  // Printing the usage needs no server.
  if (!process.argv.includes("--help")) await ensureRedis();
  rmSync(output, { recursive: true, force: true });
  if (!compile(root, join(folder, "tsconfig.json"), output)) process.exit(failedCode);
  const args = [...nodeArgs, join(output, folder, "main.js"), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
  // Ctrl-C reaches the child too: it stops its servers, and this process exits after it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.once("exit", (code) => {
    process.exitCode = code ?? failedCode;
  });
  return output;
}
