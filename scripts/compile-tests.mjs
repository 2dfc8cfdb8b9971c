import { rmSync } from "node:fs";
import { join } from "node:path";
import { compile } from "./compile.mjs";

/** Compiles the sources and all tests into build/. Exits with code 1 if they do not compile. */
export function compileTests(root) {
  rmSync(join(root, "build"), { recursive: true, force: true });
  if (compile(root, "tsconfig.json")) return;
  console.log("0 passed, 1 failed, 0 skipped");
  process.exit(1);
}
