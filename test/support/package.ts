import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../docs/project.js";

/** A folder with what the package has in `dist`, built when it is first used. Leave it as it is. */
export function packageDist(): string {
  dist ??= built();
  return dist;
}

let dist: string | undefined;

function built(): string {
  // Inside of the project, so that what it depends on is found.
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const out = mkdtempSync(join(root, ".tmp", "package-"));
  process.once("exit", () => rmSync(out, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(root, "scripts", "build.mjs"), "--out", out]);
  return out;
}
