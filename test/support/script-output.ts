import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../docs/project.js";

/** What a script of the project makes, in a folder that is gone with this process. */
export function outputOf(script: string): string {
  // Inside of the project, so that what it depends on is found.
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const out = mkdtempSync(join(root, ".tmp", "output-"));
  process.once("exit", () => rmSync(out, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(root, "scripts", script), "--out", out]);
  return out;
}
