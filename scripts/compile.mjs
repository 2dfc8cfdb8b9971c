import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { embedLua } from "./embed-lua.mjs";

/**
 * With these the compiler needs 60 % of the processor time that it needs by default: with four checkers, which check
 * much of the same, and a third of its time for garbage collection.
 */
const CHECKERS = "2";
const GARBAGE = "400";

/** Embeds the Lua and compiles a project. @returns whether it compiles; if not, it has been said why */
export function compile(root, project, outDir) {
  embedLua();
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const args = ["-p", project, "--checkers", CHECKERS];
  if (outDir !== undefined) args.push("--outDir", outDir);
  const env = { GOGC: GARBAGE, ...process.env };
  const { status, error } = spawnSync(tsc, args, { cwd: root, stdio: "inherit", env });
  if (status !== 0) console.error(error?.message ?? "the sources do not compile");
  return status === 0;
}
