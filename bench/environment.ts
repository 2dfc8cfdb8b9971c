import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, type } from "node:os";
import { join } from "node:path";
import type { RedisFleet } from "../src/testing/index.js";
import { subjectEntry } from "./compare/subjects/index.js";
import { PEER_NAMES } from "./subjects/peers.js";

/** The conditions that the numbers depend on. */
export interface Environment {
  readonly node: string;
  /** Name and version of the nodes, such as `Redis 7.0.15`. */
  readonly server: string;
  readonly os: string;
  readonly cpu: string;
  readonly packages: Readonly<Record<string, string>>;
}

const PACKAGES = ["ioredis", ...PEER_NAMES.map((name) => subjectEntry(name).packageName)];

export async function environmentOf(fleet: RedisFleet): Promise<Environment> {
  const [first] = cpus();
  return {
    node: process.version,
    server: await serverOf(fleet),
    os: `${type()} ${release()}`,
    cpu: `${cpus().length} x ${first?.model.trim() ?? "unknown"}`,
    packages: Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
  };
}

/** The name and version that its servers report, such as `Valkey 8.0.1`. */
export async function serverOf(fleet: RedisFleet): Promise<string> {
  return serverIn(String(await fleet.nodes[0]?.command("INFO", "server")));
}

/** Valkey also reports a version of Redis: the one that it is compatible with. */
export function serverIn(info: string): string {
  for (const name of ["Valkey", "Redis"]) {
    const version = new RegExp(`^${name.toLowerCase()}_version:(\\S+)`, "m").exec(info)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return "an unknown server";
}

/** Read from the file, because not every package exports its package.json. */
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
