import { outputOf } from "./script-output.js";

/** A folder with what the package has in `dist`, built when it is first used. Leave it as it is. */
export function packageDist(): string {
  dist ??= outputOf("build.mjs");
  return dist;
}

let dist: string | undefined;
