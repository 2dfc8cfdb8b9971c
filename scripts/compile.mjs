import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { embedLua } from "./embed-lua.mjs";

/**
 * The compiler takes 60 % of its processor time so: by itself it has four checkers, which check much of the same, also
 * where there are two processors; and it is a Go program, of which a third is garbage collection.
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
  const { status } = spawnSync(tsc, args, { cwd: root, stdio: "inherit", env });
  if (status !== 0) console.error("the sources do not compile");
  return status === 0;
}
