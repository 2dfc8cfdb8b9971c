import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Path of a Chromium browser, or undefined where there is none on `PATH`. */
export const chromiumPath: string | undefined = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
