import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { embedLua } from "./embed-lua.mjs";

/** Compiles the sources and all tests into build/. Exits with code 1 if they do not compile. */
export function compileTests(root) {
  embedLua();
  rmSync(join(root, "build"), { recursive: true, force: true });
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const result = spawnSync(tsc, ["-p", "tsconfig.json"], { cwd: root, stdio: "inherit" });
  if (result.status === 0) return;
  console.error("the sources do not compile");
  console.log("0 passed, 1 failed, 0 skipped");
  process.exit(1);
}
