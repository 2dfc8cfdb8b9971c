import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, wherever this file was compiled to inside of it. */
export const root = projectRoot(dirname(fileURLToPath(import.meta.url)));

/** Every Markdown file that users and contributors read, relative to {@link root}. */
export const pages: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  "bench/results/compare.md",
  "site/home/index.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

function projectRoot(from: string): string {
  if (existsSync(join(from, "package-lock.json"))) return from;
  if (dirname(from) === from) throw new Error("not inside the project");
  return projectRoot(dirname(from));
}
