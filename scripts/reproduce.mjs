// npm run reproduce: whether the same commit makes the same package, see USAGE.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseNames } from "./parse-arguments.mjs";

const USAGE = `npm run reproduce [-- TARBALL]

Packs the last commit in two fresh clones, in different folders and with different umasks, time zones and languages, and
compares the SHA-512 of both packages. TARBALL is compared with them: a package that somebody else made of the commit by the
same versions of Node.js and npm. Exit codes: 1 they differ; 2 bad arguments.`;

const PLACES = [
  { path: "one", umask: 0o022, env: { TZ: "UTC", LC_ALL: "C" } },
  { path: "another place/deeper", umask: 0o077, env: { TZ: "Asia/Tokyo", LC_ALL: "de_DE.UTF-8" } },
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [tarball] = parseNames(USAGE, (names) => {
  const isPackage = names.length === 1 && existsSync(names[0]);
  return names.length === 0 || isPackage ? undefined : `'${names.join(" ")}' is not a package`;
});
const given = tarball && resolve(tarball);
const dir = mkdtempSync(join(tmpdir(), "quorate-reproduce-"));
let isKept = false;
process.once("exit", () => isKept || rmSync(dir, { recursive: true }));
const packages = [...PLACES.map(packageMadeIn), ...(given === undefined ? [] : [given])];
const sums = packages.map(integrityOf);
packages.forEach((path, at) => console.log(`${sums[at]} ${path}`));
isKept = new Set(sums).size > 1;
process.exitCode = isKept ? 1 : 0;
console.log(isKept ? "The packages differ; they are kept." : "The packages are the same.");

function packageMadeIn({ path, umask, env }) {
  const clone = join(dir, path);
  mkdirSync(dirname(clone), { recursive: true });
  const before = process.umask(umask);
  run(dir, {}, "git", "clone", "--quiet", root, clone);
  run(clone, env, "npm", "pack", "--silent");
  process.umask(before);
  return join(
    clone,
    readdirSync(clone).find((name) => name.endsWith(".tgz")),
  );
}

function run(cwd, env, program, ...args) {
  const stdio = ["ignore", 2, 2];
  const { status, error } = spawnSync(program, args, {
    ...{ cwd, stdio, env: { ...process.env, ...env } },
  });
  if (status === 0) return;
  console.error(`${program} ${args.join(" ")} failed ${error?.message ?? `with ${status}`}`);
  process.exit(1);
}

/** As npm shows it: `npm view quorate dist.integrity`. */
function integrityOf(path) {
  return `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
}
