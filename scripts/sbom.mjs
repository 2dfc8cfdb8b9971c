// npm run sbom: the bill of materials of the package, see USAGE.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArguments } from "./parse-arguments.mjs";

const USAGE = `npm run sbom [-- --format cyclonedx|spdx]

Prints the bill of materials of the package: what it depends on, in the versions of package-lock.json. These are also what
the program dist/cli/quorate.mjs contains. The format is CycloneDX, or else SPDX. \`npm run --silent\` prints nothing else.`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readJson = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));

const { format } = parseArguments(USAGE, { format: { type: "string", default: "cyclonedx" } });
const parent = mkdtempSync(join(tmpdir(), "quorate-sbom-"));
process.once("exit", () => rmSync(parent, { recursive: true }));
// npm names the package after its folder.
const dir = join(parent, readJson("package.json").name);
mkdirSync(dir);
writeWithoutDev();
const args = ["sbom", "--package-lock-only", `--sbom-format=${String(format)}`];
const { status } = spawnSync("npm", args, { cwd: dir, stdio: "inherit" });
process.exitCode = status ?? 1;

/**
 * The package as its users install it. In the project itself, `npm sbom --omit=dev` leaves out every package that is
 * also a dependency for the development of another one, such as ioredis.
 */
function writeWithoutDev() {
  const { devDependencies: _dev, ...manifest } = readJson("package.json");
  const lock = readJson("package-lock.json");
  const { devDependencies: _locked, ...own } = lock.packages[""];
  const isInstalled = ([path, { dev, devOptional, optional, peer, link }]) =>
    path !== "" && !dev && !devOptional && !optional && !peer && !link;
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(isInstalled));
  const write = (name, value) => writeFileSync(join(dir, name), JSON.stringify(value));
  write("package.json", manifest);
  write("package-lock.json", { ...lock, packages: { "": own, ...packages } });
}
