import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { UnavailableError } from "./unavailable-error.js";

const NAMES = ["redis-server", "valkey-server"];

/**
 * Path of the server program: `QUORATE_REDIS_SERVER` if set, else `redis-server` or
 * `valkey-server` on `PATH`.
 *
 * @throws UnavailableError `QUORATE_TESTING_NO_SERVER` when there is none.
 */
export function findRedisBinary(): string {
  const fromEnv = process.env["QUORATE_REDIS_SERVER"];
  if (fromEnv !== undefined && fromEnv !== "") return fromEnv;
  const dirs = (process.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
  for (const name of NAMES) {
    for (const dir of dirs) {
      const path = join(dir, name);
      if (isExecutable(path)) return path;
    }
  }
  throw new UnavailableError(
    "QUORATE_TESTING_NO_SERVER",
    "no redis-server on PATH: install Redis or Valkey, or set QUORATE_REDIS_SERVER to the path of the program",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
