import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../docs/project.js";
import { packageDist } from "./package.js";

/** What `npm pack` takes its files from; which of them, it decides itself. */
const SOURCES = ["docs", "examples", "bench/results"];

/**
 * Packs the package as it would be published, into a folder.
 *
 * @returns the path of the package
 */
export function packInto(dir: string): string {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const staged = mkdtempSync(join(root, ".tmp", "staged-"));
  try {
    cpSync(packageDist(), join(staged, "dist"), { recursive: true });
    const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly files: readonly string[];
    };
    const single = files.filter((name) => name.endsWith(".md") || name === "LICENSE");
    for (const name of ["package.json", ...SOURCES, ...single]) {
      if (existsSync(join(root, name)))
        cpSync(join(root, name), join(staged, name), { recursive: true });
    }
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", dir];
    const packed = execFileSync("npm", args, { cwd: staged, encoding: "utf8" });
    const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
    return join(dir, filename);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
