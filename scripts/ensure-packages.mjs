// Installs the packages of package-lock.json if node_modules does not contain them.
// It uses no packages, because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs `npm ci` if needed; exits with npm's code if the installation fails.
 *
 * @param dir has the package.json and its lock file
 */
export function ensurePackages(dir = root) {
  const reason = whyInstall(dir);
  if (reason === undefined) return;
  console.error(`installing packages with npm ci: ${reason}`);
  if (npm(dir, "ci") === 0) return;
  // `npm ci` rejects a lock file made where the registry lacks builds for other platforms, but
  // `npm install` accepts it, and installs the same versions.
  console.error("npm ci failed; trying npm install with the locked versions");
  const status = npm(dir, "install", "--no-save");
  if (status === 0) return;
  console.error("npm install failed too; run it by hand to see why");
  process.exit(status);
}

function npm(cwd, ...args) {
  const all = [...args, "--include=dev", "--no-audit", "--no-fund"];
  if (process.env.CI) all.push("--no-progress");
  const program = process.platform === "win32" ? "npm.cmd" : "npm";
  // Output goes to stderr, because stdout is for the tests.
  return spawnSync(program, all, { cwd, stdio: ["ignore", 2, 2] }).status ?? 1;
}

function whyInstall(dir) {
  const installed = readPackages(join(dir, "node_modules", ".package-lock.json"));
  if (installed === undefined) return "node_modules is missing";
  const wanted = readPackages(join(dir, "package-lock.json"));
  if (wanted === undefined) return undefined;
  // Compares contents, not times: a checkout sets times in any order.
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || entry.link) continue;
    const found = installed[path];
    // Packages for other platforms are not installed.
    if (found === undefined && (entry.optional || entry.devOptional)) continue;
    if (found?.version !== entry.version || found?.integrity !== entry.integrity) {
      return `${path} is not what package-lock.json says`;
    }
  }
  return undefined;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensurePackages();
