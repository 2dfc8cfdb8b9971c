import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, type } from "node:os";
import { join } from "node:path";
import type { RedisFleet } from "../src/testing/index.js";
import { subjectEntry } from "./compare/subjects/index.js";
import { PEER_NAMES } from "./subjects/peers.js";

/** What the numbers depend on. */
export interface Environment {
  readonly node: string;
  readonly redis: string;
  readonly os: string;
  readonly cpu: string;
  readonly packages: Readonly<Record<string, string>>;
}

const PACKAGES = ["ioredis", ...PEER_NAMES.map((name) => subjectEntry(name).packageName)];

export async function environmentOf(fleet: RedisFleet): Promise<Environment> {
  const info = String(await fleet.nodes[0]?.command("INFO", "server"));
  const [first] = cpus();
  return {
    node: process.version,
    redis: /^(?:redis|valkey)_version:(\S+)/m.exec(info)?.[1] ?? "unknown",
    os: `${type()} ${release()}`,
    cpu: `${cpus().length} x ${first?.model.trim() ?? "unknown"}`,
    packages: Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
  };
}

/** From the file: not every package exports its package.json. */
function versionOf(name: string): string {
  for (const dir of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      const text = readFileSync(join(dir, name, "package.json"), "utf8");
      return (JSON.parse(text) as { version: string }).version.replace(/^v/, "");
    } catch {
      // Not in this directory.
    }
  }
  return "unknown";
}
