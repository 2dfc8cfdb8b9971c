import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SUBJECT_IDS, subjectEntry } from "./subjects/index.js";

/** The versions that the observations are about. */
export interface Versions {
  readonly node: string;
  readonly redis: string;
  readonly packages: Readonly<Record<string, string>>;
}

export function versions(): Versions {
  const names = [...SUBJECT_IDS.map((id) => subjectEntry(id).packageName), "ioredis"];
  const server = process.env["QUORATE_REDIS_SERVER"] ?? "redis-server";
  const text = execFileSync(server, ["--version"], { encoding: "utf8" });
  return {
    node: process.version,
    redis: /v=(\S+)/.exec(text)?.[1] ?? "unknown",
    packages: Object.fromEntries(names.map((name) => [name, versionOf(name)])),
  };
}

/** Read from the file above the entry, because not every package exports its package.json. */
function versionOf(name: string): string {
  const start = name === "quorate" ? import.meta.url : import.meta.resolve(name);
  for (let dir = dirname(fileURLToPath(start)); dir !== dirname(dir); dir = dirname(dir)) {
    try {
      const text = readFileSync(join(dir, "package.json"), "utf8");
      const found = JSON.parse(text) as { name?: string; version?: string };
      if (found.name === name) return found.version?.replace(/^v/, "") ?? "unknown";
    } catch {
      // Not in this directory: try its parent.
    }
  }
  return "unknown";
}
