import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The version of the package that this file is part of, bundled or not. */
export function version(): string {
  for (let at = fileURLToPath(import.meta.url); dirname(at) !== at; at = dirname(at)) {
    const file = join(dirname(at), "package.json");
    if (!existsSync(file)) continue;
    const manifest = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    if (manifest.name === "quorate") return manifest.version ?? "unknown";
  }
  return "unknown";
}
