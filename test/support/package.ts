import { existsSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { outputOf } from "./script-output.js";

/** Beside the compiled sources, which each run of the tests compiles anew: the processes of a run share it. */
const SHARED = fileURLToPath(new URL("../../package", import.meta.url));

/** A folder with what the package has in `dist`, built when it is first used. Leave it as it is. */
export function packageDist(): string {
  if (existsSync(SHARED)) return SHARED;
  const built = outputOf("build.mjs");
  try {
    renameSync(built, SHARED);
    return SHARED;
  } catch {
    // Another process was faster.
    return built;
  }
}
