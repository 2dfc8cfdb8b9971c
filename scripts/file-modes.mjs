// Part of `npm pack`: sets the modes of what is published. npm packs files with the modes that they have, which follow from
// the umask of whoever cloned the project; so the same commit would make different packages.
//
// Standalone use: node scripts/file-modes.mjs [DIR]
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const EXECUTABLE = 0o755;
const READABLE = 0o644;
const BY_OWNER = 0o100;

/** @param dir with the package.json, whose `files` say what is published */
export function setFileModes(dir) {
  const { files } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  // Of a pattern or a folder below another, the whole first folder: more than is published does no harm.
  const tops = new Set(["package.json", ...files.map((each) => each.split("/")[0])]);
  for (const path of [...tops].map((top) => join(dir, top)).filter((each) => existsSync(each))) {
    const isFolder = statSync(path).isDirectory();
    const names = isFolder ? readdirSync(path, { recursive: true }) : [""];
    names.map((name) => join(path, name)).forEach(setFileMode);
  }
}

function setFileMode(path) {
  const stat = statSync(path);
  if (!stat.isFile()) return;
  chmodSync(path, stat.mode & BY_OWNER ? EXECUTABLE : READABLE);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setFileModes(resolve(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)))));
}
